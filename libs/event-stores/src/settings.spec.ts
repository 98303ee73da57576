import { SettingInvalid } from '@causeway/settings';
import { eventStoreSettings } from './settings.ts';

const withUrl = (url: string) => ({ CAUSEWAY_EVENT_STORE: 'eventstoredb', CAUSEWAY_EVENTSTOREDB_URL: url });

test('events are kept in PostgreSQL unless told otherwise', () => {
  expect(eventStoreSettings({})).toEqual({ kind: 'postgres' });
});

test.each([
  'esdb://localhost:2113?tls=false',
  'esdb://admin:change%40it@one:2113,two:2113,three:2113?tls=true&nodePreference=leader',
  'esdb+discover://admin:changeit@cluster.internal?tlsCAFile=/etc/ca.pem&keep_alive_interval=10000',
])('%s says where EventStoreDB is', (url) => {
  expect(eventStoreSettings(withUrl(url))).toEqual({ kind: 'eventstoredb', url });
});

test('several installations may share a server', () => {
  const named = { ...withUrl('esdb://localhost'), CAUSEWAY_EVENTSTOREDB_NAMESPACE: 'acme-2' };
  expect(eventStoreSettings(named)).toMatchObject({ namespace: 'acme-2' });
});

test.each(['Acme', 'a.b', 'gateway_events', '-a', 'a'.repeat(33), '$all', 'ä'])('%s is no namespace', (namespace) => {
  const named = { ...withUrl('esdb://localhost'), CAUSEWAY_EVENTSTOREDB_NAMESPACE: namespace };
  expect(() => eventStoreSettings(named)).toThrow('CAUSEWAY_EVENTSTOREDB_NAMESPACE must be');
});

test.each([
  ['a store that there is not', { CAUSEWAY_EVENT_STORE: 'paper' }, 'CAUSEWAY_EVENT_STORE'],
  ['EventStoreDB nowhere', { CAUSEWAY_EVENT_STORE: 'eventstoredb' }, 'CAUSEWAY_EVENTSTOREDB_URL'],
  ['an address of another kind', withUrl('postgres://u:secret@h'), 'CAUSEWAY_EVENTSTOREDB_URL'],
  ['no host', withUrl('esdb://'), 'CAUSEWAY_EVENTSTOREDB_URL'],
  [
    'an option that the client would warn of',
    withUrl('esdb://u:secret@h?tlsVerifyCert=false'),
    'CAUSEWAY_EVENTSTOREDB_URL',
  ],
])('%s is refused, the variable named and its value not', (_, env, name) => {
  expect(() => eventStoreSettings(env)).toThrow(SettingInvalid);
  expect(() => eventStoreSettings(env)).toThrow(name);
  expect(() => eventStoreSettings(env)).not.toThrow('secret');
});
