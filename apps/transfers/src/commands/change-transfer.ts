import type { AcceptedTransferV1, ChangeTransferV1 } from '@causeway/contracts';
import type { TransferEvent } from '@causeway/domain/transfers';
import type { Message, Reply } from '@causeway/messaging';
import { contextOf } from '@causeway/service';
import { answerOf, rowOf } from './answer.ts';
import type { Commands } from './commands.ts';
import { notFound, wrongStatus } from './problems.ts';

/** A retry or a cancellation. The same request again is answered with the transfer as it is by then. */
export const changeTransfer = async (
  { aggregates, store, untilVisible, now }: Commands,
  type: 'RetryTransfer' | 'CancelTransfer',
  message: Message<ChangeTransferV1>,
): Promise<Reply<AcceptedTransferV1>> => {
  const { transferId, requestId, organization, environment } = message.data;
  const read = async () => rowOf(await store.readStream<TransferEvent>(`transfer-${transferId}`));
  const before = await read();
  if (before?.organization !== organization || before.environment !== environment) {
    return { ok: false, problem: notFound };
  }
  // Without a key a request is one of its own, however often its message is delivered.
  const command = { type, transferId, requestId: requestId ?? message.id, at: now() };
  const decision = await aggregates.transfer(command, contextOf(message));
  if (decision.outcome === 'rejected') return { ok: false, problem: wrongStatus(type, decision.rejection) };
  await untilVisible();
  return { ok: true, data: answerOf((await read()) ?? before, decision.events.length === 0) };
};
