/** What specs need beside themselves: PostgreSQL, and Kafka where a spec asks for it. */
import { bundleBesideSources } from '../../tools/bundling.mjs';
import { offerKafka } from './jest-kafka.mjs';
import { startPostgres } from './jest-postgres.mjs';

export default async () => {
  await bundleBesideSources();
  const stops = [await startPostgres(), await offerKafka()];
  globalThis.stopTestServers = () => Promise.all(stops.map((stop) => stop()));
};
