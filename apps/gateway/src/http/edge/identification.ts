import { problems, type Allowance, type RateLimit } from '@causeway/http';
import type { Problem } from '@causeway/messaging';
import type { FastifyReply } from 'fastify';
import type { Authentication } from './authentication.ts';
import { limitedAddress } from './caller-address.ts';
import type { Caller } from './caller.ts';

export type Identified = Readonly<{ caller: Caller | undefined; allowance?: Allowance }>;

/** What a limit counts by where no key is known. */
const placeOf = (address: string): string => `address ${limitedAddress(address)}`;

export const takeByAddress =
  (limit: RateLimit | null) =>
  (address: string): Allowance | undefined =>
    limit?.take(placeOf(address));

export type Identify<Credential> = (credential: Credential, address: string) => Promise<Identified>;

/**
 * Who asks, and whether this request is within the limit: by key where the key is good, otherwise by address, so that
 * guesses cannot use up somebody's allowance. `limit` null: there is none.
 */
export const identification =
  <Credential>(
    { authenticate, recall, wasGood }: Authentication<Credential>,
    limit: RateLimit | null,
  ): Identify<Credential> =>
  async (credential, address) => {
    let caller = recall(credential, address);
    if (limit === null) return { caller: caller ?? (await authenticate(credential, address)) };
    const place = placeOf(address);
    if (caller === undefined) {
      const before = limit.look(place);
      if (!before.allowed && !wasGood(credential, address)) return { caller, allowance: before };
      caller = await authenticate(credential, address);
    }
    return { caller, allowance: limit.take(caller === undefined ? place : `key ${caller.keyId}`) };
  };

/** Tells the limit with the answer, and how a request beyond it is refused. */
export const showAllowance = (reply: FastifyReply, allowance: Allowance): Problem | undefined => {
  const { allowed, limit, remaining, resetSeconds, retryAfterSeconds } = allowance;
  void reply.headers({
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
  });
  return allowed ? undefined : { ...problems.rateLimited, details: { retryAfterSeconds } };
};
