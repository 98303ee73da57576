import { InvalidArgumentError } from 'commander';

/** An argument that is an id: `whose` says of what. */
export const uuidOf =
  (whose: string) =>
  (text: string): string => {
    if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
    throw new InvalidArgumentError(`The id of a ${whose} is a UUID.`);
  };
