import { afterAttempt } from '@causeway/domain/webhooks';
import type { Pool } from '@causeway/postgres';
import { startRunner, type Hold, type Runner, type Source } from '@causeway/work-queue';
import { claim, giveBack, renew, type Claimed } from './claim.ts';
import { record, type EndpointResult, type Result } from './results.ts';
import type { Send } from './send.ts';
import { signedHeaders } from './signature.ts';

export type DeliveryOptions = Readonly<{
  pool: Pool;
  send: Send;
  pausesMs: readonly number[];
  unseal: (sealedSecret: Buffer, endpointId: string) => Promise<string>;
  /** Hears of endpoints that are gone, and of those that fail. */
  judge: (result: EndpointResult) => Promise<void>;
  onFault: (error: unknown) => void;
}>;

export type Deliveries = Runner<Claimed>;

/** How an attempt ended, or that it was let go of. */
type Ended = Result | Readonly<{ claimed: Claimed; step: undefined }>;

/** A receiver that answers soon after a stop began is not told twice. Of the 10 s that a shutdown may take. */
const graceMs = 1500;

export const startDeliveries = (options: DeliveryOptions): Deliveries =>
  startRunner(deliveriesOf(options), { onFault: options.onFault, graceMs });

const keyOf = ({ deliveryId, attempt }: Claimed): string => `${deliveryId} ${attempt}`;

const deliveriesOf = (options: DeliveryOptions): Source<Claimed, Ended> => {
  const { pool, judge } = options;
  return {
    keyOf,
    claim: (inHand) => claim(pool, inHand),
    renew: async (claims) => new Set((await renew(pool, claims)).map(keyOf)),
    work: (claimed, hold) => tryOnce(options, claimed, hold),
    givenBack: (claimed) => ({ claimed, step: undefined }),
    settle: async (ended) => {
      await giveBack(
        pool,
        ended.filter(({ step }) => step === undefined).map(({ claimed }) => claimed),
      );
      const results = ended.filter((one): one is Result => one.step !== undefined);
      if (results.length > 0) await Promise.all((await record(pool, results)).map(judge));
    },
  };
};

/** The newest first. */
const signing = ({ sealedSecret, oldSecrets }: Claimed, at: Date): readonly Buffer[] => {
  const old = oldSecrets.filter(({ until }) => Date.parse(until) > at.getTime());
  return [sealedSecret, ...old.map((one) => Buffer.from(one.sealedSecret, 'base64'))];
};

const tryOnce = async ({ send, pausesMs, unseal }: DeliveryOptions, claimed: Claimed, hold: Hold): Promise<Result> => {
  const { notificationId: eventId, body, url, attempt, attemptsBefore, endpointId } = claimed;
  const at = new Date();
  const secrets = await Promise.all(signing(claimed, at).map((sealed) => unseal(sealed, endpointId)));
  const since = performance.now();
  const headers = signedHeaders({ eventId, body, secrets, attempt, at });
  const outcome = await send({ url, headers, body }, hold);
  // What was cut off is no failure of the receiver's.
  if (outcome.kind === 'failed') hold.throwIfLost();
  const number = attempt - attemptsBefore;
  const step = afterAttempt({ number, outcome, pausesMs, spread: Math.random() * 2 - 1 });
  return { claimed, outcome, step, durationMs: performance.now() - since };
};
