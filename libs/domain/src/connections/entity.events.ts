/**
 * What can have happened to an entity. These names and shapes are on disk for good: add a case, or a V2 beside a case;
 * never change one. Times are UTC with milliseconds.
 */
export type EntityEvent = Readonly<{
  type: 'EntityRegistered';
  data: Readonly<{
    organization: string;
    externalEntityId: string;
    /** The one entity that stands for the organization itself. */
    isDefaultOrgEntity: boolean;
    name: string | null;
    contactEmails: readonly string[];
    metadata: Readonly<Record<string, unknown>> | null;
    registeredAt: string;
  }>;
}>;

export type RegisteredEntity = EntityEvent['data'];
