import {
  completeSetup,
  createConnection,
  createEntity,
  deleteConnection,
  deleteEntity,
  getSealingKey,
  publicKeyOf,
  storeCredentials,
  syncConnection,
  updateEntity,
  type ConnectionAnswerV1,
  type ConnectionRefV1,
  type ConnectionV1,
  type CreateConnectionV1,
  type CreatedConnectionV1,
  type CreateEntityV1,
  type DeletedEntityV1,
  type DeleteEntityV1,
  type EntityV1,
  type StoreCredentialsV1,
  type UpdateEntityV1,
} from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { contextOf } from '@causeway/service';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { Commands } from './commands.ts';
import { completeSetup as complete } from './complete-setup.ts';
import { createConnection as create } from './create-connection.ts';
import { createEntity as register } from './create-entity.ts';
import { deleteConnection as remove } from './delete-connection.ts';
import { deleteEntity as removeEntity } from './delete-entity.ts';
import { storeCredentials as store } from './store-credentials.ts';
import { startSync } from './sync-connection.ts';
import { updateEntity as update } from './update-entity.ts';

export const COMMANDS = Symbol('Commands');

@Controller()
export class CommandsController {
  constructor(@Inject(COMMANDS) private readonly commands: Commands) {}

  @MessagePattern(createEntity.type)
  createEntity(message: Message<CreateEntityV1>): Promise<Reply<EntityV1>> {
    return register(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(updateEntity.type)
  updateEntity(message: Message<UpdateEntityV1>): Promise<Reply<EntityV1>> {
    return update(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(deleteEntity.type)
  deleteEntity(message: Message<DeleteEntityV1>): Promise<Reply<DeletedEntityV1>> {
    return removeEntity(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(createConnection.type)
  createConnection(message: Message<CreateConnectionV1>): Promise<Reply<CreatedConnectionV1>> {
    return create(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(completeSetup.type)
  completeSetup(message: Message<ConnectionRefV1>): Promise<Reply<ConnectionV1>> {
    return complete(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(getSealingKey.type)
  async getSealingKey(): Promise<Reply<Readonly<{ publicKey: string }>>> {
    return { ok: true, data: { publicKey: publicKeyOf(this.commands.sealingKeys[0]) } };
  }

  @MessagePattern(storeCredentials.type)
  storeCredentials(message: Message<StoreCredentialsV1>): Promise<Reply<ConnectionV1>> {
    return store(this.commands, message.data, contextOf(message));
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
