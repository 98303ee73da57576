import type { ConnectionRefV1 } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import { ForgedMessage, UnreadableMessage, type Message } from '@causeway/messaging';
import { Inject, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { validate as isUuid } from 'uuid';

export const CONNECTION_KEYS = Symbol('data keys of connections');

/**
 * Lets a message about a connection through where it names the owner that the connection's data key does: whoever holds
 * the bus secret can write any name into a message, and none into the key's row.
 */
export class OwnerGuard implements CanActivate {
  constructor(@Inject(CONNECTION_KEYS) private readonly dataKeys: Pick<DataKeys, 'isOf'>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { type, data } = context.switchToRpc().getData<Message<ConnectionRefV1>>();
    // What tells of a message set aside was held against no schema.
    if (!isUuid(data.connectionId)) throw new UnreadableMessage(`${type}: it names no connection`);
    if (await this.dataKeys.isOf(data.connectionId, data)) return true;
    throw new ForgedMessage(`${type}: its connection is not of the organization and environment that it names`);
  }
}
