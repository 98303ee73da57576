import {
  createConnection,
  createEntity,
  deleteConnection,
  syncConnection,
  type ConnectionAnswerV1,
  type ConnectionRefV1,
  type CreateConnectionV1,
  type CreatedConnectionV1,
  type CreateEntityV1,
} from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import type { EntityRow } from '@causeway/read-models';
import { contextOf } from '@causeway/service';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { Commands } from './commands.ts';
import { createConnection as create } from './create-connection.ts';
import { createEntity as register } from './create-entity.ts';
import { deleteConnection as remove } from './delete-connection.ts';
import { startSync } from './sync-connection.ts';

export const COMMANDS = Symbol('Commands');

@Controller()
export class CommandsController {
  constructor(@Inject(COMMANDS) private readonly commands: Commands) {}

  @MessagePattern(createEntity.type)
  createEntity(message: Message<CreateEntityV1>): Promise<Reply<EntityRow>> {
    return register(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(createConnection.type)
  createConnection(message: Message<CreateConnectionV1>): Promise<Reply<CreatedConnectionV1>> {
    return create(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(syncConnection.type)
  syncConnection(message: Message<ConnectionRefV1>): Promise<Reply<ConnectionAnswerV1>> {
    return startSync(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(deleteConnection.type)
  deleteConnection(message: Message<ConnectionRefV1>): Promise<Reply<ConnectionAnswerV1>> {
    return remove(this.commands, message.data, contextOf(message));
  }
}
