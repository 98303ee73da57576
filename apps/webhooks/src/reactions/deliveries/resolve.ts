import { Resolver } from 'node:dns/promises';

/** All addresses of a name. Throws when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Of one question to one name server; a deadline of the whole delivery stands above it. */
const timeoutMs = 2000;

/**
 * By questions to the name servers, not by the system's resolver: that one works on a few threads that the whole process
 * shares, and receivers whose name servers hang would hold up every other.
 */
export const resolveName: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
  return addresses;
};
