import { oneOf, required, SettingInvalid, type Environment } from '@causeway/settings';

export type EventStoreSettings =
  | Readonly<{ kind: 'postgres' }>
  /** `url`: the client's connection string. Holds a password. */
  | Readonly<{ kind: 'eventstoredb'; url: string }>;

const urlName = 'CAUSEWAY_EVENTSTOREDB_URL';
const scheme = /^esdb(\+discover)?:\/\/[^/?]+\/?(\?(?<options>.*))?$/;

/** What the client knows and heeds. Of any other it warns on standard error, the whole string with its password told. */
const options: ReadonlySet<string> = new Set([
  ...['tls', 'tlscafile', 'usercertfile', 'userkeyfile', 'connectionname', 'nodepreference', 'defaultdeadline'],
  ...['discoveryinterval', 'gossiptimeout', 'maxdiscoverattempts', 'keepaliveinterval', 'keepalivetimeout'],
]);
const flat = (option: string): string => option.toLowerCase().replaceAll(/[_-]/g, '');

const eventStoreDbUrl = (env: Environment): string => {
  const url = required(env, urlName);
  const match = scheme.exec(url);
  if (match === null) {
    throw new SettingInvalid(`${urlName} must be esdb://user:password@host:port?tls=true, or esdb+discover://…`);
  }
  for (const option of new URLSearchParams(match.groups?.['options']).keys()) {
    if (!options.has(flat(option))) throw new SettingInvalid(`${urlName} has an option that is not known`);
  }
  return url;
};

/** Which store a service keeps its events in. To change it later, the events must be brought over. */
export const eventStoreSettings = (env: Environment): EventStoreSettings => {
  const kind = oneOf(env, 'CAUSEWAY_EVENT_STORE', 'postgres', ['postgres', 'eventstoredb']);
  return kind === 'postgres' ? { kind } : { kind, url: eventStoreDbUrl(env) };
};
