import { createTransfer, type CreatedTransferV1, type CreateTransferV1 } from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { Commands } from './commands.ts';
import { createTransfer as create } from './create-transfer.ts';

export const COMMANDS = Symbol('Commands');

@Controller()
export class CommandsController {
  constructor(@Inject(COMMANDS) private readonly commands: Commands) {}

  @MessagePattern(createTransfer.type)
  createTransfer({ id, correlationId, data }: Message<CreateTransferV1>): Promise<Reply<CreatedTransferV1>> {
    const { organization, environment } = data;
    const metadata = { correlationId, causationId: id, organization, environment };
    return create(this.commands, data, { metadata });
  }
}
