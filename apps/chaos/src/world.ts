import type { Api, BankControl, Json } from './api.ts';
import type { Random, System } from '@causeway/testing';

/** Places in the clients' doings where a kill hurts most; a client says when it is there. */
export const points = [
  'connection-sent',
  'connection-acknowledged',
  'sync-sent',
  'sync-acknowledged',
  'transfer-sent',
  'transfer-acknowledged',
  'delete-sent',
  'delete-acknowledged',
  'feed-page',
] as const;
export type Point = (typeof points)[number];

/** When to strike: at a named point, or some milliseconds after the last strike. */
export type Fault = Readonly<{ target: string; at: Point | number }>;

export type Running = { system: System };

/** What clients were told, kept over all the kills on the same data. */
export type Told = {
  readonly entities: Map<string, string>;
  /** Connections that are there, by id. */
  readonly connections: Set<string>;
  readonly erased: Set<string>;
  /** Whose deletion was asked for and never answered. */
  readonly doubtful: Set<string>;
  /** Acknowledged transfers, by idempotency key. */
  readonly transfers: Map<string, Readonly<{ id: string; order: Json }>>;
  /** The rows that a client of the feed holds, by transaction id; a removed one is gone. */
  readonly replica: Map<string, Json>;
  feedCursor: string | null;
  readonly removed: Set<string>;
  /** The rows that a client of the balances holds, by account and date, and how far it has read. */
  readonly balances: Map<string, Json>;
  balancesSince: string | null;
  /** Webhook events as they came, by id. */
  readonly notices: Map<string, string>;
  /** Connections that a webhook said fresh data of. */
  readonly syncsHeard: Set<string>;
  subscribed: boolean;
  /** The connection that its feed, lists and balances are narrowed to; null: everything. */
  readonly connectionId: string | null;
  /** How often a row of the feed showed something new, and which rows did after they were held. */
  touched: number;
  readonly moved: Set<string>;
  /** What must not happen, as it was seen. */
  readonly broken: string[];
};

/** `connectionId`: the only one that this client looks at. */
export const nothingTold = (connectionId: string | null = null): Told => ({
  connectionId,
  touched: 0,
  moved: new Set(),
  entities: new Map(),
  connections: new Set(),
  erased: new Set(),
  doubtful: new Set(),
  transfers: new Map(),
  replica: new Map(),
  feedCursor: null,
  removed: new Set(),
  balances: new Map(),
  balancesSince: null,
  notices: new Map(),
  syncsHeard: new Set(),
  subscribed: false,
  broken: [],
});

/** Data that several seeds share, one after the other, and what clients were told of it. */
export type Site = Readonly<{
  dataDir: string;
  env: Readonly<Record<string, string>>;
  told: Told;
  /** Where webhooks go. */
  hookPort: number;
  setup: Setup;
  /** The five are processes of their own. */
  distributed: boolean;
}>;

/** One process; five, each hit for itself; or five of which each becomes three, under a client that sees no fault. */
export type Setup = 'standalone' | 'distributed' | 'replicas';

export type World = Readonly<{
  api: Api;
  bank: BankControl;
  random: Random;
  told: Told;
  /** Counts what clients did, for the line of the seed. */
  did: Map<string, number>;
  reached(point: Point): void;
  /** Aborts when the clients are to stop. */
  over: AbortSignal;
}>;

/** Narrows a list, a feed or a poll to what this client looks at. */
export const narrowed = ({ told: { connectionId } }: Pick<World, 'told'>): string =>
  connectionId === null ? '' : `&connectionId=${connectionId}`;

export const count = (world: Pick<World, 'did'>, what: string): void => {
  world.did.set(what, (world.did.get(what) ?? 0) + 1);
};
