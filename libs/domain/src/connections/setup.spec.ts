import type { ConnectionStatus } from './connection.events.ts';
import { setupProgress } from './setup.ts';

const of = (status: ConnectionStatus, isServed = true, credentialsPresent = false): string =>
  Object.values(setupProgress({ status, isServed, credentialsPresent })).join(' ');

test.each([
  ['a draft that nothing serves', of('draft', false), 'provisioning service none'],
  ['with credentials as well', of('draft', false, true), 'provisioning service none'],
  ['a draft', of('draft'), 'awaitingDelegatedUserCreation endUser createDelegatedUser'],
  ['a draft with credentials', of('draft', true, true), 'awaitingCompletion integrator completeSetup'],
  ['one that is verified', of('pendingActivation'), 'verifying service waitForActivation'],
  [
    'one whose login was refused',
    of('reauthRequired', true, true),
    'awaitingCredentials integrator provideCredentials',
  ],
  ['one without rights', of('invalidConfig'), 'failed integrator fixConfiguration'],
  ['an active one', of('active'), 'completed none none'],
  ['an errored one', of('errored'), 'completed none none'],
  ['a paused one', of('paused'), 'completed none none'],
  ['a revoked one', of('revoked'), 'failed none none'],
])('the setup of %s', (_, progress, expected) => {
  expect(progress).toBe(expected);
});
