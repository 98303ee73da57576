import { DeadlineExceeded } from '@causeway/messaging';
import { SettingInvalid } from '@causeway/settings';
import { kafkaSettings, withDefaults } from './settings.ts';

const brokers = 'localhost:9092, [::1]:9093';

test('brokers alone are enough, without TLS and without a login', () => {
  expect(kafkaSettings({ CAUSEWAY_KAFKA_BROKERS: brokers })).toEqual({
    brokers: ['localhost:9092', '[::1]:9093'],
    tls: false,
  });
});

test('plaintext to another machine can be allowed', () => {
  const env = { CAUSEWAY_KAFKA_BROKERS: 'one:9092', CAUSEWAY_KAFKA_PLAINTEXT: 'allowed' };
  expect(kafkaSettings(env)).toEqual({ brokers: ['one:9092'], tls: false });
});

test('TLS and a login are read', () => {
  const env = {
    CAUSEWAY_KAFKA_BROKERS: 'one:9092',
    CAUSEWAY_KAFKA_TLS: 'on',
    CAUSEWAY_KAFKA_SASL_MECHANISM: 'scram-sha-512',
    CAUSEWAY_KAFKA_SASL_USERNAME: 'causeway',
    CAUSEWAY_KAFKA_SASL_PASSWORD: 'word',
  };
  const sasl = { mechanism: 'scram-sha-512', username: 'causeway', password: 'word' };
  expect(kafkaSettings(env)).toEqual({ brokers: ['one:9092'], tls: true, sasl });
});

test.each([
  ['no brokers', {}, /CAUSEWAY_KAFKA_BROKERS/],
  ['plaintext to another machine', { CAUSEWAY_KAFKA_BROKERS: '127.0.0.1:9092,one:9092' }, /CAUSEWAY_KAFKA_PLAINTEXT/],
  ['a name that only begins so', { CAUSEWAY_KAFKA_BROKERS: 'localhost.example:9092' }, /CAUSEWAY_KAFKA_PLAINTEXT/],
  ['a broker without a port', { CAUSEWAY_KAFKA_BROKERS: 'one' }, /CAUSEWAY_KAFKA_BROKERS/],
  ['TLS neither on nor off', { CAUSEWAY_KAFKA_BROKERS: brokers, CAUSEWAY_KAFKA_TLS: 'yes' }, /CAUSEWAY_KAFKA_TLS/],
  [
    'a certificate file that is not there',
    { CAUSEWAY_KAFKA_BROKERS: brokers, CAUSEWAY_KAFKA_TLS: 'on', CAUSEWAY_KAFKA_TLS_CA_FILE: '/none.pem' },
    /CAUSEWAY_KAFKA_TLS_CA_FILE/,
  ],
  [
    'a mechanism that is unknown',
    { CAUSEWAY_KAFKA_BROKERS: brokers, CAUSEWAY_KAFKA_SASL_MECHANISM: 'gssapi' },
    /CAUSEWAY_KAFKA_SASL_MECHANISM/,
  ],
  [
    'a user without a mechanism',
    { CAUSEWAY_KAFKA_BROKERS: brokers, CAUSEWAY_KAFKA_SASL_USERNAME: 'causeway' },
    /CAUSEWAY_KAFKA_SASL_MECHANISM/,
  ],
  [
    'a mechanism without a password',
    {
      CAUSEWAY_KAFKA_BROKERS: brokers,
      CAUSEWAY_KAFKA_SASL_MECHANISM: 'plain',
      CAUSEWAY_KAFKA_SASL_USERNAME: 'causeway',
    },
    /CAUSEWAY_KAFKA_SASL_PASSWORD/,
  ],
])('%s is refused, and the variable named', (_, env, name) => {
  expect(() => kafkaSettings(env)).toThrow(SettingInvalid);
  expect(() => kafkaSettings(env)).toThrow(name);
});

test('a database, a broker or a service that is away is no fault of the message', () => {
  const { isOutage } = withDefaults({
    brokers: ['one:9092'],
    secrets: [{ id: '1', key: Buffer.alloc(32) }],
    isOutage: (error) => (error as { code?: string }).code === 'ECONNREFUSED',
  });
  const named = (name: string) => Object.assign(new Error('no'), { name });
  expect(isOutage(named('KafkaJSConnectionError'))).toBe(true);
  expect(isOutage(new DeadlineExceeded('no reply'))).toBe(true);
  expect(isOutage(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))).toBe(true);
  expect(isOutage(named('TypeError'))).toBe(false);
});
