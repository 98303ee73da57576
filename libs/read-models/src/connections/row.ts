export const connectionStatuses = [
  'draft',
  'pendingActivation',
  'active',
  'reauthRequired',
  'errored',
  'invalidConfig',
  'paused',
  'revoked',
] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** `setup` is not here: it derives from the status and the entity, in the gateway's response. */
export type ConnectionRow = Readonly<{
  organization: string;
  environment: 'live' | 'test';
  id: string;
  entityId: string;
  kind: 'ready' | 'setup';
  institutionId: string | null;
  institutionName: string | null;
  portalUrl: string | null;
  status: ConnectionStatus;
  syncStatus: 'idle' | 'syncing';
  lastSyncedAt: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: string;
  updatedAt: string;
}>;
