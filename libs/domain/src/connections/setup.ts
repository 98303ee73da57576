import type { ConnectionStatus } from './connection.events.ts';

/** Where the setup of a connection stands, and who is to do what next. */
export type SetupProgress = Readonly<{
  status:
    | 'provisioning'
    | 'awaitingDelegatedUserCreation'
    | 'awaitingCredentials'
    | 'awaitingCompletion'
    | 'verifying'
    | 'completed'
    | 'failed';
  actionRequiredBy: 'endUser' | 'integrator' | 'service' | 'none';
  nextAction:
    'createDelegatedUser' | 'provideCredentials' | 'completeSetup' | 'waitForActivation' | 'fixConfiguration' | 'none';
}>;

/** `isServed`: a connector can log in there. */
type Standing = Readonly<{ status: ConnectionStatus; isServed: boolean; credentialsPresent: boolean }>;

export const setupProgress = ({ status, isServed, credentialsPresent }: Standing): SetupProgress => {
  if (status !== 'draft') return afterDraft[status];
  if (!isServed) return { status: 'provisioning', actionRequiredBy: 'service', nextAction: 'none' };
  return credentialsPresent
    ? { status: 'awaitingCompletion', actionRequiredBy: 'integrator', nextAction: 'completeSetup' }
    : { status: 'awaitingDelegatedUserCreation', actionRequiredBy: 'endUser', nextAction: 'createDelegatedUser' };
};

const completed: SetupProgress = { status: 'completed', actionRequiredBy: 'none', nextAction: 'none' };

const afterDraft: Readonly<Record<Exclude<ConnectionStatus, 'draft'>, SetupProgress>> = {
  pendingActivation: { status: 'verifying', actionRequiredBy: 'service', nextAction: 'waitForActivation' },
  reauthRequired: { status: 'awaitingCredentials', actionRequiredBy: 'integrator', nextAction: 'provideCredentials' },
  invalidConfig: { status: 'failed', actionRequiredBy: 'integrator', nextAction: 'fixConfiguration' },
  revoked: { status: 'failed', actionRequiredBy: 'none', nextAction: 'none' },
  active: completed,
  errored: completed,
  paused: completed,
};
