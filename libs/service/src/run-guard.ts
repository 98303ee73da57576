import { statementSetAside } from '@causeway/contracts';
import { messageFault } from '@causeway/message-schemas';
import { UnreadableMessage, type Message } from '@causeway/messaging';
import type { CanActivate, ExecutionContext } from '@nestjs/common';

/**
 * Lets through what tells of a message of a run that was set aside, be the rest of it as it may: where it names no run,
 * there is none to be ended.
 */
export class RunGuard implements CanActivate {
  readonly #faultIn = messageFault(statementSetAside.type);

  canActivate(context: ExecutionContext): boolean {
    const message = context.switchToRpc().getData<Message>();
    const fault = this.#faultIn(message);
    if (fault !== undefined) throw new UnreadableMessage(`${message.type}: ${fault}`);
    return true;
  }
}
