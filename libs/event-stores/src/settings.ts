import { oneOf, optional, required, SettingInvalid, type Environment } from '@causeway/settings';

export type EventStoreSettings =
  | Readonly<{ kind: 'postgres' }>
  /** `url`: the client's connection string. Holds a password. `namespace`: of one installation of several on the server. */
  | Readonly<{ kind: 'eventstoredb'; url: string; namespace: string | undefined }>;

const urlName = 'CAUSEWAY_EVENTSTOREDB_URL';
const namespaceName = 'CAUSEWAY_EVENTSTOREDB_NAMESPACE';
/** No underscore and no point: it cannot look like what the services' streams begin with. */
const namespaceForm = /^[a-z0-9][a-z0-9-]{0,31}$/;
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

const serverNamespace = (env: Environment): string | undefined => {
  const namespace = optional(env, namespaceName);
  if (namespace === undefined || namespaceForm.test(namespace)) return namespace;
  throw new SettingInvalid(`${namespaceName} must be up to 32 of a-z, 0-9 and -, beginning with no -`);
};

/** What says where the events are, as a refusal names it. */
export const serverSettingOf = (settings: EventStoreSettings): string =>
  settings.kind === 'postgres' || settings.namespace === undefined
    ? urlName
    : `${urlName} with the namespace ${settings.namespace}`;

/** Which store a service keeps its events in. To change it later, the events must be brought over. */
export const eventStoreSettings = (env: Environment): EventStoreSettings => {
  const kind = oneOf(env, 'CAUSEWAY_EVENT_STORE', 'postgres', ['postgres', 'eventstoredb']);
  return kind === 'postgres' ? { kind } : { kind, url: eventStoreDbUrl(env), namespace: serverNamespace(env) };
};
