/** What an integrator says of an entity. */
export type EntityDetails = Readonly<{
  name: string | null;
  /** Each address once, whatever its case. */
  contactEmails: readonly string[];
  metadata: Readonly<Record<string, unknown>> | null;
}>;

/**
 * What can have happened to an entity. These names and shapes are on disk for good: add a case, or a V2 beside a case;
 * never change one. Times are UTC with milliseconds.
 */
export type EntityEvent =
  | Readonly<{
      type: 'EntityRegistered';
      data: EntityDetails &
        Readonly<{
          organization: string;
          externalEntityId: string;
          /** The one entity that stands for the organization itself. */
          isDefaultOrgEntity: boolean;
          registeredAt: string;
        }>;
    }>
  /** `details`: what changed, and nothing else. */
  | Readonly<{ type: 'EntityChanged'; data: Readonly<{ details: Partial<EntityDetails>; changedAt: string }> }>
  /** With these connections. */
  | Readonly<{
      type: 'EntityDeleted';
      data: Readonly<{ externalEntityId: string; connectionIds: readonly string[]; deletedAt: string }>;
    }>;

export type RegisteredEntity = Extract<EntityEvent, { type: 'EntityRegistered' }>['data'];
