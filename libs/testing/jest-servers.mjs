/** What specs need beside themselves: PostgreSQL, and Kafka where a spec asks for it. */
import { offerKafka } from './jest-kafka.mjs';
import { startPostgres } from './jest-postgres.mjs';

export default async () => {
  const stops = [await startPostgres(), await offerKafka()];
  globalThis.stopTestServers = () => Promise.all(stops.map((stop) => stop()));
};
