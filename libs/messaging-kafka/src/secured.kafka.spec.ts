import { startBroker, type Broker } from '@causeway/kafka-broker';
import { eventually } from '@causeway/messaging/testing';
import { describeWithOwnKafka } from '@causeway/testing';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { message, newName, numberOf, onEvent, openBus, untilReady } from './testing/bus-under-test.ts';
import { kafkaSettings } from './settings.ts';

const brokerTimeoutMs = 120_000;
const password = 'a word for the spec';

/** A key pair of the broker's own, whose certificate is what clients trust. */
const keysIn = (folder: string): Readonly<{ keystore: string; caFile: string }> => {
  const [keystore, caFile] = [join(folder, 'broker.p12'), join(folder, 'ca.pem')];
  const store = ['-keystore', keystore, '-storetype', 'PKCS12', '-storepass', password, '-alias', 'broker'];
  const names = ['-dname', 'CN=localhost', '-ext', 'SAN=ip:127.0.0.1,dns:localhost'];
  execFileSync('keytool', ['-genkeypair', '-keyalg', 'EC', '-validity', '2', ...names, ...store], { stdio: 'pipe' });
  execFileSync('keytool', ['-exportcert', '-rfc', '-file', caFile, ...store], { stdio: 'pipe' });
  return { keystore, caFile };
};

const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required';

describeWithOwnKafka('a broker that asks for TLS and a login', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-secured-'));
  let broker: Broker;
  let caFile: string;
  beforeAll(async () => {
    mkdirSync(dataDir, { recursive: true });
    const keys = keysIn(dataDir);
    caFile = keys.caFile;
    const settings = {
      'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT',
      'inter.broker.listener.name': 'PLAINTEXT',
      'sasl.enabled.mechanisms': 'PLAIN',
      'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      'listener.name.plaintext.plain.sasl.jaas.config': `${login} username="broker" password="${password}" user_broker="${password}" user_causeway="${password}";`,
      'ssl.keystore.type': 'PKCS12',
      'ssl.keystore.location': keys.keystore,
      'ssl.keystore.password': password,
      'ssl.truststore.type': 'PKCS12',
      'ssl.truststore.location': keys.keystore,
      'ssl.truststore.password': password,
      'ssl.endpoint.identification.algorithm': '',
    };
    broker = await startBroker({ dataDir, settings });
  }, brokerTimeoutMs);
  afterAll(async () => {
    await broker.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, brokerTimeoutMs);

  const env = () => ({
    CAUSEWAY_KAFKA_BROKERS: broker.address,
    CAUSEWAY_KAFKA_TLS: 'on',
    CAUSEWAY_KAFKA_TLS_CA_FILE: caFile,
    CAUSEWAY_KAFKA_SASL_MECHANISM: 'plain',
    CAUSEWAY_KAFKA_SASL_USERNAME: 'causeway',
    CAUSEWAY_KAFKA_SASL_PASSWORD: password,
  });

  test('is spoken to with the settings that say so', async () => {
    const topic = newName();
    const bus = openBus(kafkaSettings(env()), [topic]);
    const got: number[] = [];
    await bus.consume(onEvent(newName(), topic, async (m) => void got.push(numberOf(m))));
    await untilReady(bus);
    await bus.publish(topic, [message('k', 1)]);
    await eventually(() => expect(got).toEqual([1]));
    await bus.close();
  });

  test.each([
    ['the wrong password', { CAUSEWAY_KAFKA_SASL_PASSWORD: 'another' }],
    ['a certificate that is not trusted', { CAUSEWAY_KAFKA_TLS_CA_FILE: undefined }],
  ])('%s never makes a bus ready, and tells why', async (_, wrong) => {
    const faults: string[] = [];
    const onFault = ({ what, detail }: { what: string; detail: object }) =>
      faults.push(`${what} ${String((detail as { error?: Error }).error ?? '')}`);
    const bus = openBus({ ...kafkaSettings({ ...env(), ...wrong }), onFault }, [newName()]);
    await eventually(() => expect(faults.join()).toMatch(/authenticat|self.signed certificate/i));
    await sleep(100);
    expect(bus.ready()).toBe(false);
    await bus.close();
    expect(faults.join()).not.toContain(password);
  });
});
