import { missingTools } from './artifacts.ts';
import { startBroker, type BrokerOptions, type OpenBroker } from './broker.ts';
import { hasContainerEngine, startContainerBroker } from './container.ts';
import { NoBroker } from './no-broker.ts';

/** How a broker can be had here: one that runs (`CAUSEWAY_KAFKA_BROKERS`), its artifacts, an image; or why it cannot. */
export type BrokerSource = Readonly<{ open(options: BrokerOptions): Promise<OpenBroker> }>;

const given = (brokers: string): BrokerSource => ({ open: async () => ({ brokers, stop: async () => undefined }) });

const artifacts: BrokerSource = {
  open: async (options) => {
    const { address, pid, stop } = await startBroker(options);
    return { brokers: address, pid, stop };
  },
};

const image: BrokerSource = { open: startContainerBroker };

/** Throws `NoBroker`, which says what is missing. */
export const brokerSource = async (): Promise<BrokerSource> => {
  const brokers = process.env['CAUSEWAY_KAFKA_BROKERS'];
  if (brokers !== undefined && brokers !== '') return given(brokers);
  const missing = await missingTools();
  if (missing === undefined) return artifacts;
  if (await hasContainerEngine()) return image;
  throw new NoBroker(`${missing}, no container engine answers, and CAUSEWAY_KAFKA_BROKERS is not set`);
};
