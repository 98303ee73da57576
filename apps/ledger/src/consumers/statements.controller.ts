import {
  connectionDeleted,
  statementPart,
  syncFetched,
  type ConnectionDeletedV1,
  type StatementPartV1,
  type SyncFetchedV1,
} from '@causeway/contracts';
import type { Message } from '@causeway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { closeConnection } from '../commands/close-connection.ts';
import { causesOf } from './booking/account.ts';
import { finishRun } from './booking/finish-run.ts';
import { RECEIVING, receivePart, type Receiving } from './booking/receive-part.ts';

/** What the bank said, on its way from the connections service; all of a connection in order. */
@Controller()
export class StatementsController {
  constructor(@Inject(RECEIVING) private readonly ledger: Receiving) {}

  @EventPattern<string>(statementPart.type)
  part(@Payload() message: Message<StatementPartV1>): Promise<void> {
    const { attachment } = message;
    if (attachment === undefined) throw new Error('a part of a statement without its attachment');
    return receivePart(this.ledger, { part: message.data, cipher: attachment }, causesOf(message));
  }

  @EventPattern<string>(syncFetched.type)
  fetched(@Payload() message: Message<SyncFetchedV1>): Promise<void> {
    return finishRun(this.ledger, message.data, causesOf(message));
  }

  /** The gateway asks for the erasure too; this is for when it died in between. */
  @EventPattern<string>(connectionDeleted.type)
  async deleted(@Payload() { data, ...message }: Message<ConnectionDeletedV1>): Promise<void> {
    await closeConnection(this.ledger, { ...data, at: data.deletedAt }, causesOf(message));
  }
}
