import { rule } from '@causeway/http';

const keysMax = 50;
const bytesMax = 16 * 1024;

const isMetadata = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length <= keysMax &&
  Buffer.byteLength(JSON.stringify(value)) <= bytesMax;

/** Opaque to us, but bounded. */
export const IsMetadata = (): PropertyDecorator =>
  rule('isMetadata', isMetadata, `must be an object of at most ${keysMax} keys and 16 KiB`, {
    type: 'object',
    maxProperties: keysMax,
    description: 'At most 16 KiB as JSON.',
  });
