import { messageOf, type CommandContract } from '@causeway/contracts';
import { replyFault } from '@causeway/message-schemas';
import type { Bus, Reply } from '@causeway/messaging';

/** Sends a command to the service that owns it and waits for its answer. What it makes has its id. */
export type Commands = <C extends object, R extends object>(
  contract: CommandContract<C, R>,
  command: C,
  requestId: string,
) => Promise<Reply<R>>;

/** Above what an owner waits for its own projection, below what clients and proxies give up after. */
const commandTimeoutMs = 10_000;

export const commands =
  (bus: Bus, newId: () => string): Commands =>
  async <C extends object, R extends object>(contract: CommandContract<C, R>, command: C, requestId: string) => {
    const message = messageOf(contract, command, { id: newId(), correlationId: requestId, causationId: requestId });
    const reply = await bus.request<R>(contract.topic, message, commandTimeoutMs);
    const fault = replyFault(contract.type)(reply);
    if (fault !== undefined) throw new Error(`${contract.type}: in its reply, ${fault}`);
    return reply;
  };
