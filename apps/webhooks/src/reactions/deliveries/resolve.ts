import { Resolver } from 'node:dns/promises';

/** All addresses of a name. Throws when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Of one question to one name server; a deadline of the whole delivery stands above it. */
const timeoutMs = 2000;

/**
 * By questions to the name servers, the system's when none are given. Not by the system's own resolver: that one works on
 * a few threads that the whole process shares, and receivers whose name servers hang would hold up every other.
 */
export const resolver = (servers?: readonly string[]): Resolve => {
  const asking = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== undefined) asking.setServers(servers);
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([asking.resolve4(hostname), asking.resolve6(hostname)]);
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  };
};
