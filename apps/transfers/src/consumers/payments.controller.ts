import { paymentsBooked, type PaymentsBookedV1 } from '@causeway/contracts';
import type { Message } from '@causeway/messaging';
import { contextOf } from '@causeway/service';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { COMMANDS } from '../commands/commands.controller.ts';
import type { Commands } from '../commands/commands.ts';
import { matchPayment } from './match-payment.ts';

@Controller()
export class PaymentsController {
  constructor(@Inject(COMMANDS) private readonly commands: Commands) {}

  @EventPattern<string>(paymentsBooked.type)
  async paymentsBooked(message: Message<PaymentsBookedV1>): Promise<void> {
    for (const payment of message.data.payments) {
      await matchPayment(this.commands, { ...message.data, ...payment }, contextOf(message));
    }
  }
}
