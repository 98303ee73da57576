import {
  hostAndPort,
  isPublicAddress,
  literalOf,
  urlRefusal,
  type AllowedHosts,
} from '../reactions/deliveries/address.ts';
import type { Resolve } from '../reactions/deliveries/resolve.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export type Reach = Readonly<{ allowed: AllowedHosts; resolve: Resolve }>;

/** A name server that takes longer does not hold up the registration: every delivery looks again. */
const lookMs = 1500;

/** Why webhooks may not go there, from the URL and from what its name resolves to now, if anything. */
export const reachRefusal = async ({ allowed, resolve }: Reach, text: string): Promise<string | undefined> => {
  const refusal = urlRefusal(text, allowed);
  if (refusal !== undefined) return refusal;
  const url = new URL(text);
  if (allowed.has(hostAndPort(url)) || literalOf(url.hostname) !== undefined) return undefined;
  const unknown: readonly string[] = [];
  const addresses = await Promise.race([resolve(url.hostname).catch(() => unknown), sleep(lookMs, unknown)]);
  return addresses.every(isPublicAddress) ? undefined : 'must be a public address';
};
