import type { EventContract, Scope } from './contract.ts';
import type { Count, Timestamp } from './values.ts';

/** An organization got its first key. Its default entity follows. */
export type OrganizationCreatedV1 = Readonly<{ organization: string; createdAt: Timestamp }>;

export const gatewayEvents = 'causeway.gateway.events';

export const organizationCreated: EventContract<OrganizationCreatedV1> = {
  type: 'gateway.organization-created.v1',
  topic: gatewayEvents,
  keyOf: ({ organization }) => organization,
};

/**
 * Until when somebody may still ask for the organization in this environment, by the keys that it has now: the latest
 * expiry of a key that was not revoked, in UTC; null: it has none. Keys expire without a further message. `position`: what was told of an earlier one is old.
 */
export type KeyUsabilityV1 = Scope & Readonly<{ usableUntil: Timestamp | null; position: Count }>;

export const keyUsability: EventContract<KeyUsabilityV1> = {
  type: 'gateway.key-usability.v1',
  topic: gatewayEvents,
  keyOf: ({ organization }) => organization,
};
