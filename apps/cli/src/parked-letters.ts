import { openPool } from '@causeway/postgres';
import { mendParked, parkedStreams, type ParkedStream } from '@causeway/projections';
import { kafkaAddress } from './kafka-address.ts';
import { ofReadModels } from './read-models.ts';
import { NotRunning, systemAddress } from './running-system.ts';

/** Events that a read model could not take, as dead letters: mended where they are, and never dropped. */
export type ParkedLetter = Readonly<{
  id: string;
  source: string;
  reason: string;
  attempts: number;
  firstFailedAt: string;
  lastFailedAt: string;
}>;

const letterOf = ({ projection, stream, from, ...parked }: ParkedStream): ParkedLetter => ({
  id: `${projection}:${stream}`,
  source: `projection ${projection}`,
  reason: `${parked.reason}; held back from revision ${from} on`,
  attempts: parked.attempts,
  firstFailedAt: parked.since,
  lastFailedAt: parked.lastFailedAt,
});

/** The letters on brokers can be seen where no database is known; these cannot. */
const databaseUrl = (): string | undefined => {
  try {
    return systemAddress(process.env).databaseUrl;
  } catch (error) {
    if (error instanceof NotRunning && kafkaAddress(process.env) !== undefined) return undefined;
    throw error;
  }
};

/** Those of the rows that can be read. `retry`: the id of one that is to be mended. */
export const parkedLetters = async (retry?: string): Promise<readonly ParkedLetter[]> => {
  const url = databaseUrl();
  if (url === undefined) return [];
  const pool = openPool({ url, applicationName: 'causeway', connectionsMax: 2 });
  try {
    return await ofReadModels(pool, async ({ schema, store }) => {
      const parked = (await parkedStreams(pool, schema)).filter(({ live }) => live);
      for (const each of parked) if (letterOf(each).id === retry) await mendParked(store, each);
      return parked.map(letterOf);
    });
  } finally {
    await pool.end();
  }
};
