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

export const setupStatuses = [
  'provisioning',
  'awaitingDelegatedUserCreation',
  'awaitingCredentials',
  'awaitingCompletion',
  'verifying',
  'completed',
  'failed',
] as const;
export const setupActors = ['endUser', 'integrator', 'service', 'none'] as const;
export const setupActions = [
  'createDelegatedUser',
  'provideCredentials',
  'completeSetup',
  'waitForActivation',
  'fixConfiguration',
  'none',
] as const;
export const provisioningStatuses = ['pending', 'ready', 'failed'] as const;

/** The user to be made at the bank. */
export type SetupInstructions = Readonly<{
  firstName: string;
  lastName: string;
  address: string;
  email: string;
  username: string;
  phoneNumber: string;
  emailProvisioningStatus: (typeof provisioningStatuses)[number];
  phoneNumberProvisioningStatus: (typeof provisioningStatuses)[number];
}>;

export type ConnectionSetup = Readonly<{
  status: (typeof setupStatuses)[number];
  /** Null: nobody has to be made. */
  instructions: SetupInstructions | null;
  credentialsPresent: boolean;
  actionRequiredBy: (typeof setupActors)[number];
  nextAction: (typeof setupActions)[number];
}>;

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
  setup: ConnectionSetup;
  createdAt: string;
  updatedAt: string;
}>;
