import { within } from '@causeway/concurrency';
import { CommandFailed, DeadlineExceeded } from './bus.ts';
import { copyOf, type Message, type Reply } from './message.ts';

/** What the handler replies, as it would arrive over a wire; what it throws is a `CommandFailed` with the cause. */
export const repliedBy = async <D extends object>(
  handler: (message: Message) => Promise<Reply>,
  message: Message,
): Promise<Reply<D>> => {
  try {
    return JSON.parse(JSON.stringify(await handler(copyOf(message)))) as Reply<D>;
  } catch (cause) {
    throw new CommandFailed(`${message.type} failed`, { cause });
  }
};

/** Past the deadline the command may still run; its reply or its failure then finds nobody. */
export const inTime = async <T>(work: Promise<T>, timeLeftMs: number, type: string): Promise<T> => {
  const done = await within(timeLeftMs, work);
  if (done === undefined) throw new DeadlineExceeded(`no reply to ${type} within ${timeLeftMs} ms`);
  return done.value;
};
