import type { ConnectionRefV1 } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import { ForgedMessage, type Message } from '@causeway/messaging';
import { Inject, type CanActivate, type ExecutionContext } from '@nestjs/common';

export const CONNECTION_KEYS = Symbol('data keys of connections');

/**
 * Lets a message about a connection through where it names the owner that the connection's data key does: whoever holds
 * the bus secret can write any name into a message, and none into the key's row.
 */
export class OwnerGuard implements CanActivate {
  constructor(@Inject(CONNECTION_KEYS) private readonly dataKeys: Pick<DataKeys, 'isOf'>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { type, data } = context.switchToRpc().getData<Message<ConnectionRefV1>>();
    if (await this.dataKeys.isOf(data.connectionId, data)) return true;
    throw new ForgedMessage(`${type}: its connection is not of the organization and environment that it names`);
  }
}
