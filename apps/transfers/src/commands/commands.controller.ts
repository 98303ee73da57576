import { createTransfer, type CreatedTransferV1, type CreateTransferV1 } from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { contextOf } from '@causeway/service';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { Commands } from './commands.ts';
import { createTransfer as create } from './create-transfer.ts';

export const COMMANDS = Symbol('Commands');

@Controller()
export class CommandsController {
  constructor(@Inject(COMMANDS) private readonly commands: Commands) {}

  @MessagePattern(createTransfer.type)
  createTransfer(message: Message<CreateTransferV1>): Promise<Reply<CreatedTransferV1>> {
    return create(this.commands, message.data, contextOf(message));
  }
}
