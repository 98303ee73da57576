import {
  deleteWebhook,
  registerWebhook,
  testWebhook,
  type RegisteredWebhookV1,
  type RegisterWebhookV1,
  type WebhookRefV1,
} from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  deleteWebhook as remove,
  registerWebhook as register,
  testWebhook as test,
  type Commands,
} from './commands.ts';

export const COMMANDS = Symbol('commands');

@Controller()
export class CommandsController {
  constructor(@Inject(COMMANDS) private readonly commands: Commands) {}

  @MessagePattern(registerWebhook.type)
  register(message: Message<RegisterWebhookV1>): Promise<Reply<RegisteredWebhookV1>> {
    return register(this.commands, message);
  }

  @MessagePattern(deleteWebhook.type)
  remove(message: Message<WebhookRefV1>): Promise<Reply<Readonly<{ webhookId: string }>>> {
    return remove(this.commands, message);
  }

  @MessagePattern(testWebhook.type)
  test(message: Message<WebhookRefV1>): Promise<Reply<Readonly<{ eventId: string }>>> {
    return test(this.commands, message);
  }
}
