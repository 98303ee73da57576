import { ValidateBy, type ValidationOptions } from 'class-validator';

const keysMax = 50;
const bytesMax = 16 * 1024;

const isMetadata = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length <= keysMax &&
  Buffer.byteLength(JSON.stringify(value)) <= bytesMax;

/** Opaque to us, but bounded. */
export const IsMetadata = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isMetadata',
      validator: {
        validate: isMetadata,
        defaultMessage: () => `$property must be an object of at most ${keysMax} keys and 16 KiB`,
      },
    },
    options,
  );

/** May be left out. Null is a value, and is refused where the contract does not name it. */
export const mayBeLeftOut = (_: object, value: unknown): boolean => value !== undefined;
