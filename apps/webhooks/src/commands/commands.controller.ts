import {
  deleteWebhook,
  redeliverEvent,
  redeliverSince,
  registerWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type RedeliveryV1,
  type RegisterWebhookV1,
  type RevealedWebhookV1,
  type RotateWebhookSecretV1,
  type UpdateWebhookV1,
  type WebhookRefV1,
  type WebhookV1,
} from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { Commands } from './commands.ts';
import * as does from './commands.ts';

export const COMMANDS = Symbol('commands');

@Controller()
export class CommandsController {
  constructor(@Inject(COMMANDS) private readonly commands: Commands) {}

  @MessagePattern(registerWebhook.type)
  register(message: Message<RegisterWebhookV1>): Promise<Reply<RevealedWebhookV1>> {
    return does.registerWebhook(this.commands, message);
  }

  @MessagePattern(updateWebhook.type)
  update(message: Message<UpdateWebhookV1>): Promise<Reply<Readonly<{ webhook: WebhookV1 }>>> {
    return does.updateWebhook(this.commands, message);
  }

  @MessagePattern(rotateWebhookSecret.type)
  rotateSecret(message: Message<RotateWebhookSecretV1>): Promise<Reply<RevealedWebhookV1>> {
    return does.rotateSecret(this.commands, message);
  }

  @MessagePattern(deleteWebhook.type)
  remove(message: Message<WebhookRefV1>): Promise<Reply<Readonly<{ webhookId: string }>>> {
    return does.deleteWebhook(this.commands, message);
  }

  @MessagePattern(testWebhook.type)
  test(message: Message<WebhookRefV1>): Promise<Reply<Readonly<{ eventId: string }>>> {
    return does.testWebhook(this.commands, message);
  }

  @MessagePattern(redeliverEvent.type)
  redeliver(message: Message<WebhookRefV1 & Readonly<{ eventId: string }>>): Promise<Reply<RedeliveryV1>> {
    return does.redeliverEvent(this.commands, message);
  }

  @MessagePattern(redeliverSince.type)
  redeliverSince(message: Message<WebhookRefV1 & Readonly<{ since: string }>>): Promise<Reply<RedeliveryV1>> {
    return does.redeliverSince(this.commands, message);
  }
}
