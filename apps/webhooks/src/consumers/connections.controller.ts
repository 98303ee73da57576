import {
  connectionStatusChanged,
  syncCompleted,
  type ConnectionStatusChangedV1,
  type SyncCompletedV1,
} from '@causeway/contracts';
import type { Message } from '@causeway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import type { Notification } from '../reactions/deliveries/notify.ts';
import { statusChanged, syncAvailable } from './notifications.ts';

/** Puts a notification and its deliveries on record, once, and sees to it that they are sent. */
export type Tell = (notification: Notification) => Promise<void>;
export const TELL = Symbol('tell');

@Controller()
export class ConnectionsController {
  constructor(@Inject(TELL) private readonly tell: Tell) {}

  @EventPattern<string>(syncCompleted.type)
  async syncCompleted(message: Message<SyncCompletedV1>): Promise<void> {
    const notification = syncAvailable(message);
    if (notification !== undefined) await this.tell(notification);
  }

  @EventPattern<string>(connectionStatusChanged.type)
  async statusChanged(message: Message<ConnectionStatusChangedV1>): Promise<void> {
    await this.tell(statusChanged(message));
  }
}
