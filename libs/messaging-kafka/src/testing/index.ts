export { rawConsumer, rawProducer } from './raw-client.ts';
export type { RawConsumer } from './raw-client.ts';
export { eavesdropper, isTaken } from './eavesdropper.ts';
export type { Captured } from './eavesdropper.ts';
