import type { ConnectionV1, StoreCredentialsV1 } from '@causeway/contracts';
import { DataKeyDestroyed } from '@causeway/data-keys';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import type { Commands } from './commands.ts';
import { connectionAnswer } from './connection-answer.ts';
import { cipheredCredentials } from './credentials.ts';
import { problemOf } from './problems.ts';

const notFound = { ok: false, problem: problemOf({ code: 'not_found' }) } as const;

/** Of another's connection not even the seal is opened. */
export const storeCredentials = async (
  commands: Commands,
  { organization, environment, connectionId, sealed }: StoreCredentialsV1,
  context: Context,
): Promise<Reply<ConnectionV1>> => {
  const { aggregates, dataKeys, now, untilVisible } = commands;
  const scope = { organization, environment };
  try {
    if (!(await dataKeys.isOf(connectionId, scope))) return notFound;
    const ciphers = await cipheredCredentials(commands, connectionId, sealed);
    const its = { connectionId, at: now(), scope, loginId: context.metadata.causationId };
    const decision = await aggregates.connection({ type: 'StoreCredentials', ...its, ciphers }, context);
    if (decision.outcome === 'rejected') return { ok: false, problem: problemOf(decision.rejection) };
    await untilVisible();
    return { ok: true, data: await connectionAnswer(commands, { ...scope, connectionId }, decision.events) };
  } catch (error) {
    if (error instanceof DataKeyDestroyed) return notFound;
    throw error;
  }
};
