import type { Captured } from '@causeway/messaging-kafka/testing';

/** Bytes of a part that are changed, one at a time. */
const placesMax = 256;

/** With one byte of it changed: each where they are few, else as many places. */
export const changed = ({ key, value, headers, ...rest }: Captured): readonly Captured[] => {
  const each = (part: Captured[keyof Captured], put: (other: Buffer) => Partial<Captured>): readonly Captured[] => {
    const bytes = Buffer.from((part ?? '') as Buffer);
    const places = Math.min(bytes.length, placesMax);
    return Array.from({ length: places }, (_, n) => {
      const other = Buffer.from(bytes);
      other[Math.floor((n * bytes.length) / places)]! ^= 1;
      return { ...rest, key, value, headers, ...put(other) };
    });
  };
  return [
    ...each(key, (other) => ({ key: other })),
    ...each(value, (other) => ({ value: other })),
    ...Object.entries(headers).flatMap(([name, value]) =>
      each(value as Buffer, (other) => ({ headers: { ...headers, [name]: other } })),
    ),
  ];
};

/** Without one of its headers, with one more or under another name; and as it is on every other topic. */
export const rearranged = (record: Captured, topics: readonly string[]): readonly Captured[] => {
  const { headers } = record;
  const others = Object.entries(headers).flatMap(([name, value]) => {
    const rest = Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
    return [rest, { ...rest, [`${name}x`]: value }, { ...headers, [`${name}x`]: value }];
  });
  return [
    ...others.map((other) => ({ ...record, headers: other })),
    ...topics.filter((topic) => topic !== record.topic).map((topic) => ({ ...record, topic })),
  ];
};
