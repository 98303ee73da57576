/** One entity, as `GET /v1/entities` shows it, and whose it is. */
export type EntityRow = Readonly<{
  organization: string;
  entityId: string;
  externalEntityId: string;
  isDefaultOrgEntity: boolean;
  name: string | null;
  contactEmails: readonly string[];
  metadata: Readonly<Record<string, unknown>> | null;
  createdAt: string;
  updatedAt: string;
}>;
