import { openPool } from '@causeway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSender } from '../src/reactions/deliveries/send.ts';
import { startDeliveries } from '../src/reactions/deliveries/worker.ts';

/** A process that sends, half a second after it has said that it is about to. */
const [url = '', port = ''] = process.argv.slice(2);
const sender = openSender({ allowed: new Set([`127.0.0.1 ${port}`]), resolve: async () => [], timeoutMs: 5000 });
startDeliveries({
  pool: openPool({ url, applicationName: 'deliveries under test' }),
  send: async (post, hold) => {
    process.send?.('about to send');
    await sleep(500);
    return sender.send(post, hold);
  },
  pausesMs: [50],
  unseal: async () => 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  judge: async () => undefined,
  onFault: () => undefined,
});
