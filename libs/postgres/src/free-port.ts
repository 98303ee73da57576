import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/**
 * For a server that is started again on its port; `inARow`: the first of so many that are free. Below the ports that
 * connections going out are given: one of those could take it between a kill and the next start.
 */
export const freePort = async (inARow = 1): Promise<number> => {
  for (;;) {
    const first = randomInt(20_000, 32_000);
    const free = await Promise.all(Array.from({ length: inARow }, (_, n) => isFree(first + n)));
    if (!free.includes(false)) return first;
  }
};
