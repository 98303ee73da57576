import { transfer, type Transfer, type TransferEvent, type TransferStep } from '@causeway/domain/transfers';
import { idOf, type Context, type EventStore, type Recorded, type Revision } from '@causeway/event-sourcing';
import type { Logger } from '@causeway/observability';
import type { Owner } from '@causeway/read-models';
import type { SidesOf } from '../commands/accounts.ts';
import type { Aggregates } from '../commands/aggregates.ts';
import type { Calendar } from '../commands/bank-day.ts';

export type ExecutionParts = Calendar &
  Readonly<{
    transfers: Transfers;
    aggregates: Aggregates;
    sidesOf: SidesOf;
    log: Pick<Logger, 'info'>;
  }>;

type Queued = Exclude<Transfer, { status: 'none' }>;

/** A transfer as its worker knows it. */
export type Loaded = Readonly<{
  transferId: string;
  state: Queued;
  revision: Revision | 'none';
  /** What it all began with, for the events that follow. */
  context: Context;
  /** The id of the event by which an operator last declared an outcome: what follows from it names it as its cause. */
  declaredBy: string | null;
  owner: Owner;
}>;

const loadedFrom = (history: readonly Recorded<TransferEvent>[]): Loaded | undefined => {
  const [first, last] = [history[0], history.at(-1)];
  const state = history.reduce<Transfer>((folded, event) => transfer.evolve(folded, event), transfer.initial);
  if (first === undefined || last === undefined || state.status === 'none') return undefined;
  const { organization, environment } = first.metadata;
  const owner = { organization: organization ?? '', environment: environment ?? '' };
  const context = { metadata: { ...first.metadata, causationId: first.id } };
  const declaredBy = history.findLast(({ type }) => type === 'TransferOutcomeDeclared')?.id ?? null;
  return { transferId: idOf(first.stream), state, revision: last.revision, context, declaredBy, owner };
};

const rememberedMax = 1000;

export type Transfers = Readonly<{
  /** Of a transfer that was queued just now: it need not be read. If more has happened to it, the next append tells. */
  remember(queued: Recorded<TransferEvent>): void;
  load(transferId: string): Promise<Loaded | undefined>;
}>;

export const transfersIn = (store: EventStore): Transfers => {
  const remembered = new Map<string, Loaded>();
  return {
    remember: (queued) => {
      const loaded = queued.type === 'TransferQueued' ? loadedFrom([queued]) : undefined;
      // Those whose day is to come, or that other processes have taken.
      if (remembered.size === rememberedMax) remembered.clear();
      if (loaded !== undefined) remembered.set(loaded.transferId, loaded);
    },
    load: async (transferId) => {
      const known = remembered.get(transferId);
      remembered.delete(transferId);
      return known ?? loadedFrom(await store.readStream<TransferEvent>(`transfer-${transferId}`));
    },
  };
};

/**
 * The transfer after the step, of the attempt that it is at unless another is named. Undefined: the rules do not allow
 * the step; another worker has come first.
 */
export const record = async (
  { aggregates, now }: ExecutionParts,
  loaded: Loaded,
  step: TransferStep,
  attempt = loaded.state.attempt,
): Promise<Loaded | undefined> => {
  const command = { ...step, transferId: loaded.transferId, attempt, at: now() };
  const { outcome, state, revision } = await aggregates.transfer(command, loaded.context, loaded);
  return outcome === 'rejected' || state.status === 'none' ? undefined : { ...loaded, state, revision };
};
