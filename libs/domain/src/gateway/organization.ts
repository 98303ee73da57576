import { accept, type Decider } from '@causeway/event-sourcing';

/** On disk for good. An organization begins with its first key. */
export type OrganizationEvent = Readonly<{
  type: 'OrganizationCreated';
  data: Readonly<{ organization: string; createdAt: string }>;
}>;

export type OrganizationCommand = Readonly<{ type: 'CreateOrganization'; organization: string; at: string }>;

export type Organization = Readonly<{ exists: boolean }>;

const named = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What an organization may be called: it is part of stream names, and an operator types it. */
export const isOrganizationName = (name: string): boolean => named.test(name);

export const organization: Decider<Organization, OrganizationCommand, OrganizationEvent, never> = {
  initial: { exists: false },
  decide: ({ exists }, { organization: name, at }) =>
    exists ? accept() : accept({ type: 'OrganizationCreated', data: { organization: name, createdAt: at } }),
  evolve: () => ({ exists: true }),
};
