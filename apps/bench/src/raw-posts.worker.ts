/** The baseline of deliveries: undici posts the same bodies to the same receiver; no record, no signature, no guard. */
import { Agent, request } from 'undici';

/** Posted by turns, to one address after the other. */
export type Posts = Readonly<{ urls: readonly string[]; bodies: readonly string[]; count: number }>;

const clients = 128;
const agent = new Agent({ connections: clients, pipelining: 1 });
const headers = { 'content-type': 'application/json' };

const posted = async ({ urls, bodies, count }: Posts): Promise<void> => {
  let next = 0;
  const client = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const body = bodies[n % bodies.length] as string;
      const answer = await request(urls[n % urls.length] as string, {
        dispatcher: agent,
        method: 'POST',
        headers,
        body,
      });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
};

process.on('message', (posts: Posts) => {
  posted(posts).then(
    () => process.send?.('posted'),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
