import type { Message } from '@causeway/messaging';

/** What a command of the gateway looks like on the bus, and what answers it. `Reply` is a type only. */
export type CommandContract<C extends object, R extends object> = Readonly<{
  type: string;
  topic: string;
  /** Commands of one key are handled in order, one at a time. */
  keyOf(command: C): string;
  /** Never set: carries the type of the reply's data. */
  reply?: R;
}>;

export type EventContract<D extends object> = Readonly<{
  type: string;
  topic: string;
  keyOf(data: D): string;
  /** Every message of it carries ciphertext beside its data. */
  hasAttachment?: true;
}>;

export type Environment = 'live' | 'test';

/** Whose command it is. Every command carries it; the owning service trusts nothing else. */
export type Scope = Readonly<{ organization: string; environment: Environment }>;

type Causes = Readonly<{ id: string; correlationId: string; causationId: string; attachment?: Buffer }>;

/** A message of the contract's type, keyed as it says. */
export const messageOf = <D extends object>(
  contract: Readonly<{ type: string; keyOf(data: D): string }>,
  data: D,
  causes: Causes,
): Message<D> => ({ type: contract.type, key: contract.keyOf(data), data, ...causes });
