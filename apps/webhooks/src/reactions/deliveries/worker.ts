import { afterAttempt } from '@causeway/domain/webhooks';
import type { Pool } from '@causeway/postgres';
import { startBatches } from './batches.ts';
import { claim, type Claimed } from './claim.ts';
import { record, type EndpointResult, type Result } from './results.ts';
import type { Send } from './send.ts';
import { startSending } from './sending.ts';
import { signedHeaders } from './signature.ts';
import { startWakeUp } from './wake-up.ts';

export type DeliveryOptions = Readonly<{
  pool: Pool;
  send: Send;
  /** Of one attempt; a claim holds a little longer. */
  timeoutMs: number;
  pausesMs: readonly number[];
  unseal: (sealedSecret: Buffer, endpointId: string) => string;
  /** Hears of endpoints that are gone, and of those that fail. */
  judge: (result: EndpointResult) => Promise<void>;
  onFault: (error: unknown) => void;
  /** For retries that come due, and for what other processes have added. */
  pollMs?: number;
}>;

export type Deliveries = Readonly<{
  /** There is something to send. */
  wake(): void;
  /** Nothing is sent to the endpoint from now on, attempts under way included. */
  cancel(endpointId: string): void;
  /** Attempts under way get 4 s; what is cut off then is tried again by whoever runs next. */
  stop(): Promise<void>;
}>;

/** Attempts of this process under way at once, in each of the two lanes. */
const swiftMax = 1024;
const slowMax = 256;
/** Claimed at once: enough to make the claim cheap per delivery, few enough for other processes to get some. */
const claimMax = 200;
const pollDefaultMs = 250;
/** What a claim holds beyond the deadline of its attempt, so that a slow database does not make two of one. */
const claimMarginMs = 5000;
/** Of the 10 s that a shutdown may take. */
const drainMs = 4000;

export const startDeliveries = (options: DeliveryOptions): Deliveries => {
  const { pool, timeoutMs, judge, onFault, pollMs = pollDefaultMs } = options;
  const wakeUp = startWakeUp();
  const sending = startSending();
  const stopping = new AbortController();
  const results = startBatches<Result>(async (batch) => {
    const judged = await record(pool, batch);
    wakeUp.wake();
    await Promise.all(judged.map(judge));
  }, onFault);

  const attempt = async (claimed: Claimed): Promise<void> => {
    const result = await sending.run(claimed, (signal) => tryOnce(options, claimed, signal));
    if (result !== undefined) results.add(result);
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const room = { swift: Math.min(claimMax, sending.room('swift', swiftMax)), slow: sending.room('slow', slowMax) };
      const claimed = await claim(pool, room, timeoutMs + claimMarginMs).catch((error: unknown) => {
        onFault(error);
        return [];
      });
      for (const delivery of claimed) void attempt(delivery).catch(onFault);
      if (claimed.length < claimMax) await wakeUp.wait(pollMs, stopping.signal);
    }
  };
  const looping = loop();

  return {
    wake: wakeUp.wake,
    cancel: sending.cancel,
    stop: async () => {
      stopping.abort();
      await looping;
      const timer = setTimeout(sending.cancelAll, drainMs);
      await sending.idle();
      clearTimeout(timer);
      await results.flushed();
    },
  };
};

/** Undefined: nothing may be sent any more, and what became of it is not known. */
const tryOnce = async (
  { send, pausesMs, unseal }: DeliveryOptions,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Result | undefined> => {
  const { notificationId: eventId, body, url, attempt, endpointId, sealedSecret } = claimed;
  const secret = unseal(sealedSecret, endpointId);
  const since = performance.now();
  const headers = signedHeaders({ eventId, body, secret, attempt, at: new Date() });
  const outcome = await send({ url, headers, body }, signal);
  if (signal.aborted && outcome.kind === 'failed') return undefined;
  const step = afterAttempt({ number: attempt, outcome, pausesMs, spread: Math.random() * 2 - 1 });
  return { claimed, outcome, step, durationMs: performance.now() - since };
};
