import { startCluster } from '../cluster.ts';

/** A process that has a server, until it is killed or ends as it is told. */
const [dataDir = '', end] = process.argv.slice(2);
const { pid, url } = await startCluster({ dataDir });
process.stdout.write(`${JSON.stringify({ pid, url })}\n`);
setTimeout(() => {
  if (end === 'exit') process.exit(1);
  if (end === 'throw') throw new Error('nobody catches this');
}, 100);
setInterval(() => undefined, 1000);
