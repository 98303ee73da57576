import {
  cancelTransfer,
  createTransfer,
  getPayeeKey,
  retryTransfer,
  type AcceptedTransferV1,
  type ChangeTransferV1,
  type CreateTransferV1,
  type PayeeKeyV1,
} from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { contextOf } from '@causeway/service';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { changeTransfer } from './change-transfer.ts';
import type { Commands } from './commands.ts';
import { createTransfer as create } from './create-transfer.ts';

export const COMMANDS = Symbol('Commands');

@Controller()
export class CommandsController {
  constructor(@Inject(COMMANDS) private readonly commands: Commands) {}

  @MessagePattern(getPayeeKey.type)
  async getPayeeKey(): Promise<Reply<PayeeKeyV1>> {
    return { ok: true, data: { publicKey: this.commands.payees.publicKey } };
  }

  @MessagePattern(createTransfer.type)
  createTransfer(message: Message<CreateTransferV1>): Promise<Reply<AcceptedTransferV1>> {
    return create(this.commands, message.data, contextOf(message));
  }

  @MessagePattern(retryTransfer.type)
  retryTransfer(message: Message<ChangeTransferV1>): Promise<Reply<AcceptedTransferV1>> {
    return changeTransfer(this.commands, 'RetryTransfer', message);
  }

  @MessagePattern(cancelTransfer.type)
  cancelTransfer(message: Message<ChangeTransferV1>): Promise<Reply<AcceptedTransferV1>> {
    return changeTransfer(this.commands, 'CancelTransfer', message);
  }
}
