import { openPool } from '@causeway/postgres';
import { gatewayRole } from '@causeway/read-models';

/** The reads' own sessions; a burst beyond them waits its turn here rather than in PostgreSQL. */
export const readSessionsMax = 16;
/** Far above what any read takes. A database that stands still is answered for with 503, and its sessions are given up. */
const readWithinMs = 5000;
/** Credentials are looked up by their key, beside reads that may be heavy: each takes a millisecond. */
const credentialSessionsMax = 3;
const credentialWithinMs = 2000;

/** Sessions that read: those for answers, and apart from them those for credentials. */
export const readSessions = (url: string) => ({
  pool: openPool({
    url,
    applicationName: 'gateway reads',
    role: gatewayRole,
    connectionsMax: readSessionsMax,
    plansOnce: true,
    answerWithinMs: readWithinMs,
  }),
  credentials: openPool({
    url,
    applicationName: 'gateway credentials',
    role: gatewayRole,
    connectionsMax: credentialSessionsMax,
    answerWithinMs: credentialWithinMs,
  }),
});

export type Sessions = ReturnType<typeof readSessions>;
