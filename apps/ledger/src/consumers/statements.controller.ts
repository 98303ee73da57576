import { causesOf } from '@causeway/booking';
import { atMost } from '@causeway/concurrency';
import {
  connectionDeleted,
  connectionErased,
  statementPart,
  syncFetched,
  type ConnectionDeletedV1,
  type ConnectionErasedV1,
  type StatementPartV1,
  type SyncFetchedV1,
} from '@causeway/contracts';
import { setAsideOf, type Message } from '@causeway/messaging';
import { OwnerGuard, RunGuard } from '@causeway/service';
import { Controller, Inject, UseGuards } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { closeConnection } from '../commands/close-connection.ts';
import { finishRun } from '../booking/finish-run.ts';
import { RECEIVING, receivePart, type Receiving } from '../booking/receive-part.ts';
import { recordSetAside } from '../booking/run-events.ts';
import { recordSourceErased } from '../reactions/receipts.ts';

/** Pages that are booked at once; the others wait here, where a wait is no fault, and not for a session. */
export const bookingsMax = 8;

/** What the bank said, on its way from the connections service; all of a connection in order. */
@Controller()
@UseGuards(OwnerGuard)
export class StatementsController {
  readonly #limited = atMost(bookingsMax);

  constructor(@Inject(RECEIVING) private readonly ledger: Receiving) {}

  @EventPattern<string>(statementPart.type)
  part(@Payload() message: Message<StatementPartV1>): Promise<void> {
    const { attachment } = message;
    if (attachment === undefined) throw new Error('a part of a statement without its attachment');
    const received = { part: message.data, cipher: attachment };
    return this.#limited(() => receivePart(this.ledger, received, causesOf(message)));
  }

  @EventPattern<string>(syncFetched.type)
  fetched(@Payload() message: Message<SyncFetchedV1>): Promise<void> {
    return this.#limited(() => finishRun(this.ledger, message.data, causesOf(message)));
  }

  @UseGuards(RunGuard)
  @EventPattern<string>(setAsideOf(statementPart.type))
  partSetAside(@Payload() message: Message<StatementPartV1>): Promise<void> {
    const { data } = message;
    return recordSetAside(this.ledger, data, causesOf(message));
  }

  @UseGuards(RunGuard)
  @EventPattern<string>(setAsideOf(syncFetched.type))
  fetchedSetAside(@Payload() message: Message<SyncFetchedV1>): Promise<void> {
    return recordSetAside(this.ledger, message.data, causesOf(message));
  }

  /** The gateway asks for the erasure too; this is for when it died in between. */
  @EventPattern<string>(connectionDeleted.type)
  async deleted(@Payload() { data, ...message }: Message<ConnectionDeletedV1>): Promise<void> {
    await closeConnection(this.ledger, { ...data, at: data.deletedAt }, causesOf(message));
  }

  @EventPattern<string>(connectionErased.type)
  async erased(@Payload() { data, ...message }: Message<ConnectionErasedV1>): Promise<void> {
    const causes = causesOf(message);
    await closeConnection(this.ledger, { ...data, at: data.deletedAt }, causes);
    const { organization, environment, ...source } = data;
    await recordSourceErased(this.ledger, source, { ...causes, organization, environment });
  }
}
