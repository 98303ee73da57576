/** One more listener. It tells its clients another port than its own, where something stands in between. */
export type Door = Readonly<{ name: string; port: number; toldPort: number }>;

type Place = Readonly<{ data: string; port: number; controllerPort: number; doors?: readonly Door[] }>;

const listen = (name: string, port: number): string => `${name.toUpperCase()}://127.0.0.1:${port}`;

const bytes16Mb = String(16 * 1024 * 1024);

/** One node, both roles, loopback only; small, and quick to form groups. */
export const serverProperties = (
  { data, port, controllerPort, doors = [] }: Place,
  settings: Readonly<Record<string, string>> = {},
): string => {
  const all = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    listeners: [listen('plaintext', port), listen('controller', controllerPort)]
      .concat(doors.map((door) => listen(door.name, door.port)))
      .join(','),
    'advertised.listeners': [listen('plaintext', port)]
      .concat(doors.map(({ name, toldPort }) => listen(name, toldPort)))
      .join(','),
    'listener.security.protocol.map': ['plaintext', 'controller', ...doors.map(({ name }) => name)]
      .map((name) => `${name.toUpperCase()}:PLAINTEXT`)
      .join(','),
    'log.dirs': data,
    // Topics are declared and made; a misspelt one is an error.
    'auto.create.topics.enable': 'false',
    // There is one node. Kafka 3.9 passes over the name that came with 4.
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'offsets.topic.num.partitions': '4',
    // A group forms as soon as its first member is there.
    'group.initial.rebalance.delay.ms': '0',
    // Specs end members without a word and do not wait 6 s for the group to notice.
    'group.min.session.timeout.ms': '1000',
    // A broker that was killed may register again only when its session is over, 9 s by default.
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
    // The default, 128 MB, is a quarter of the heap.
    'log.cleaner.dedupe.buffer.size': bytes16Mb,
    'num.network.threads': '2',
    'num.io.threads': '4',
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
};
