import type { EventContract } from './contract.ts';

/** An organization got its first key. Its default entity follows. */
export type OrganizationCreatedV1 = Readonly<{ organization: string; createdAt: string }>;

export const gatewayEvents = 'causeway.gateway.events';

export const organizationCreated: EventContract<OrganizationCreatedV1> = {
  type: 'gateway.organization-created.v1',
  topic: gatewayEvents,
  keyOf: ({ organization }) => organization,
};
