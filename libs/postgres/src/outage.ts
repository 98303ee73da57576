/** PostgreSQL's classes 08 (connection) and 53 (resources), and of class 57 what tells of a server that comes or goes. */
const sqlState = /^(08|53|57P)/;
const networkFault = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/;
/** An event store of its own says so when it does not answer. */
const storeAway = 'EVENT_STORE_AWAY';
/** pg and its pool tell these by message only. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connec)/;

/** The database, or the event store, is away, or went away: nothing is wrong with what was asked of it, and it may be asked again later. */
export const isOutage = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
  if (typeof code === 'string' && (sqlState.test(code) || networkFault.test(code) || code === storeAway)) return true;
  return (typeof message === 'string' && lostConnection.test(message)) || isOutage(cause);
};
