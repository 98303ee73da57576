export { rawConsumer, rawProducer } from './raw-client.ts';
export type { RawConsumer } from './raw-client.ts';
