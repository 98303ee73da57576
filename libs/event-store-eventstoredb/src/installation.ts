import type { Elsewhere } from '@causeway/data-keys';
import { ErrorType, jsonEvent, NO_STREAM, type AppendExpectedRevision } from '@eventstore/db-client';
import { arrivalsAfter } from './arrivals.ts';
import { isAfter } from './position.ts';
import { isKind, openServer, type Server } from './server.ts';
import { surveyor, type Survey } from './survey.ts';

/** `namespace`: stands before those of the services, where several installations share a server. */
export type ServerPlace = Readonly<{ url: string; namespace: string | undefined }>;

/** Whose events the server holds, as it was written: the last one is right. */
export type Identity = Readonly<{ id: string; since: string }>;

const identified = 'InstallationIdentified';
/** Each may be as large as the server takes of one append. */
const pageEvents = 50;
const identitiesMax = 1000;

/** What a stream's name begins with. A namespace has no underscore and no point: none of another begins in the same way. */
export const prefixOf = ({ namespace }: Pick<ServerPlace, 'namespace'>): string =>
  namespace === undefined ? '' : `${namespace}.`;
const streamOf = (place: ServerPlace): string => `${prefixOf(place)}installation`;
/** Streams of all services, whichever there are. */
const namesOf = (place: ServerPlace): RegExp => new RegExp(`^${prefixOf(place).replace('.', '\\.')}([a-z]+)_events\\.`);

const withServer = async <T>({ url }: ServerPlace, work: (server: Server) => Promise<T>): Promise<T> => {
  const server = openServer(url);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
};

const identitiesIn = async (server: Server, stream: string): Promise<readonly Identity[]> => {
  const events = await server.readStream(stream, 0, identitiesMax);
  if (events === 'erased') return [];
  return events.map(({ data, created }) => ({ id: (data as { id: string }).id, since: created.toISOString() }));
};

/** Whether it was written. */
const identify = async (
  server: Server,
  stream: string,
  id: string,
  expectedRevision: AppendExpectedRevision,
): Promise<boolean> => {
  const event = jsonEvent({ type: identified, data: { id } });
  const options = { expectedRevision, requiresLeader: true } as const;
  try {
    return (await server.ask((client) => client.appendToStream(stream, event, options))).success;
  } catch (error) {
    if (isKind(error, ErrorType.WRONG_EXPECTED_VERSION)) return false;
    throw error;
  }
};

const holdsAny = async (server: Server, names: RegExp): Promise<boolean> => {
  const enough = new AbortController();
  for await (const arrivals of arrivalsAfter(server, names, undefined, enough.signal)) {
    if (arrivals.some((arrival) => typeof arrival === 'object' && 'event' in arrival)) return true;
    if (arrivals.includes('live')) return false;
  }
  return false;
};

/** The installation that the server's events belong to, in a stream of its own. */
export const serverIdentity = (place: ServerPlace): Elsewhere => ({
  find: () =>
    withServer(place, async (server) => {
      const id = (await identitiesIn(server, streamOf(place))).at(-1)?.id ?? null;
      return { id, isUsed: id !== null || (await holdsAny(server, namesOf(place))) };
    }),
  claim: async (id) => {
    await withServer(place, (server) => identify(server, streamOf(place), id, NO_STREAM));
  },
});

/** What is on the server: whoever adopts it should know. Reads all there is, the events of others too. */
export const surveyServer = (place: ServerPlace): Promise<Survey & Readonly<{ identities: readonly Identity[] }>> =>
  withServer(place, async (server) => {
    const { see, seen } = surveyor(namesOf(place));
    const identities = await identitiesIn(server, streamOf(place));
    for (let from: Parameters<Server['readAll']>[0]; ;) {
      const page = await server.readAll(from, pageEvents);
      for (const event of page) if (isAfter(event.position, from)) see(event);
      if (page.length < pageEvents) return { ...seen(), identities };
      from = page.at(-1)?.position;
    }
  });

/** `identities`: those that were seen. Throws when there is another by now. */
export const takeOverServer = (place: ServerPlace, identities: readonly Identity[], id: string): Promise<void> =>
  withServer(place, async (server) => {
    const expected = identities.length === 0 ? NO_STREAM : BigInt(identities.length - 1);
    if (await identify(server, streamOf(place), id, expected)) return;
    throw new Error('another installation took the server over meanwhile');
  });
