import { IsOneOf, IsShape } from '@causeway/http';
import type { ConnectionRow, ConnectionStatus } from '@causeway/read-models';
import { IsBoolean, IsString } from 'class-validator';

const provisioningStatuses = ['pending', 'ready', 'failed'];

class InstructionsResponse {
  @IsString()
  firstName!: string;

  @IsString()
  lastName!: string;

  @IsString()
  address!: string;

  @IsString()
  email!: string;

  @IsString()
  username!: string;

  @IsString()
  phoneNumber!: string;

  @IsOneOf(provisioningStatuses)
  emailProvisioningStatus!: string;

  @IsOneOf(provisioningStatuses)
  phoneNumberProvisioningStatus!: string;
}

export class SetupResponse {
  @IsOneOf([
    ...['provisioning', 'awaitingDelegatedUserCreation', 'awaitingCredentials', 'awaitingCompletion'],
    ...['verifying', 'completed', 'failed'],
  ])
  status!: string;

  @IsShape(InstructionsResponse)
  instructions!: InstructionsResponse;

  @IsBoolean()
  credentialsPresent!: boolean;

  @IsOneOf(['endUser', 'integrator', 'service', 'none'])
  actionRequiredBy!: string;

  @IsOneOf([
    'createDelegatedUser',
    'provideCredentials',
    'completeSetup',
    'waitForActivation',
    'fixConfiguration',
    'none',
  ])
  nextAction!: string;
}

type Progress = Readonly<{ status: string; actionRequiredBy: string; nextAction: string }>;

const completed: Progress = { status: 'completed', actionRequiredBy: 'none', nextAction: 'none' };

/** Where the setup of a connection stands, by the connection's status. */
const progress: Readonly<Record<ConnectionStatus, Progress>> = {
  draft: {
    status: 'awaitingDelegatedUserCreation',
    actionRequiredBy: 'endUser',
    nextAction: 'createDelegatedUser',
  },
  pendingActivation: { status: 'verifying', actionRequiredBy: 'service', nextAction: 'waitForActivation' },
  reauthRequired: { status: 'awaitingCredentials', actionRequiredBy: 'integrator', nextAction: 'provideCredentials' },
  invalidConfig: { status: 'failed', actionRequiredBy: 'integrator', nextAction: 'fixConfiguration' },
  revoked: { status: 'failed', actionRequiredBy: 'none', nextAction: 'none' },
  active: completed,
  errored: completed,
  paused: completed,
};

/** RFC 2606: mail to this domain reaches nobody. */
const mailDomain = 'delegated-users.example';

/** The delegated user to be made at the bank: the same for a connection whenever it is read. */
const instructionsFor = (connectionId: string): InstructionsResponse => {
  const digits = connectionId.replaceAll('-', '');
  const name = digits.slice(-12);
  // 555-0100 to 555-0199 are reserved for fiction.
  const line = String(100 + (Number.parseInt(digits.slice(-4), 16) % 100));
  return {
    firstName: 'Causeway',
    lastName: `Connection ${name.slice(-4).toUpperCase()}`,
    address: '1 Causeway Street, Springfield, IL 62701, US',
    email: `${name}@${mailDomain}`,
    username: `causeway-${name}`,
    phoneNumber: `+1217555${line.padStart(4, '0')}`,
    emailProvisioningStatus: 'ready',
    phoneNumberProvisioningStatus: 'ready',
  };
};

export const setupOf = ({ id, status }: ConnectionRow): SetupResponse => {
  const { nextAction, actionRequiredBy, status: setupStatus } = progress[status];
  return {
    status: setupStatus,
    instructions: instructionsFor(id),
    credentialsPresent: false,
    actionRequiredBy,
    nextAction,
  };
};
