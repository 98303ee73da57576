import type { AsyncApi, Message } from './asyncapi.ts';
import type { Plain } from './schemas.ts';

const referred = '#/components/schemas/';

const typesOf = ({ type }: Plain): string => [type ?? []].flat().sort().join('|');
const fieldsOf = ({ properties }: Plain): readonly (readonly [string, Plain])[] => Object.entries(properties ?? {});
/** Schemas that are not taken apart are the same when they say the same, whatever they are described by. */
const bare = (schema: unknown): string =>
  JSON.stringify(schema, (key, value: unknown) => (key === 'description' ? undefined : value)) ?? '';

/** What a reader refuses the message for, and a writer relies on: nothing of it changes. */
const narrowing = ['const', 'anyOf', 'format', 'minimum'] as const;

/** What somebody who wrote or read `before` would stumble over in `after`. */
const changes = (place: string, before: Plain, after: Plain): string[] => {
  if (typesOf(before) !== typesOf(after)) return [`${place} was ${typesOf(before)} and is ${typesOf(after)}`];
  if (narrowing.some((keyword) => bare(before[keyword]) !== bare(after[keyword]))) {
    return [`${place} is of another type`];
  }
  const found: string[] = [];
  if ((before.enum === undefined) !== (after.enum === undefined)) found.push(`${place} is of another type`);
  for (const value of before.enum ?? []) {
    if (!(after.enum ?? [value]).includes(value)) found.push(`${place} can no longer be ${String(value)}`);
  }
  for (const [field, schema] of fieldsOf(before)) {
    const kept = after.properties?.[field];
    if (kept === undefined) found.push(`${place}.${field} is gone`);
    else found.push(...changes(`${place}.${field}`, schema, kept));
    const may =
      kept !== undefined && (before.required ?? []).includes(field) && !(after.required ?? []).includes(field);
    if (may) found.push(`${place}.${field} may be missing`);
  }
  for (const field of after.required ?? []) {
    if (!(before.required ?? []).includes(field)) found.push(`${place}.${field} must be there`);
  }
  if (before.items !== undefined && after.items !== undefined) {
    found.push(...changes(`${place}[]`, before.items, after.items));
  }
  const more = [before.additionalProperties, after.additionalProperties] as const;
  if (bare(more[0]) !== bare(more[1])) found.push(`${place} holds others of another type`);
  return found;
};

const headersOf = ({ components }: AsyncApi, { headers }: Message): Plain =>
  components.schemas[headers.$ref.slice(referred.length)] ?? {};

/**
 * What of the published document the new one breaks. A version that was published may gain fields that need not be
 * there, and values; all else is a new version beside it.
 */
export const breakingChanges = (published: AsyncApi, current: AsyncApi): string[] => {
  const found: string[] = [];
  for (const [name, message] of Object.entries(published.components.messages)) {
    const kept = current.components.messages[name];
    if (kept === undefined) {
      found.push(`${name} is gone`);
      continue;
    }
    found.push(...changes(name, message.payload, kept.payload));
    found.push(...changes(`${name} header`, headersOf(published, message), headersOf(current, kept)));
  }
  for (const [name, { channel, action }] of Object.entries(published.operations)) {
    const kept = current.operations[name];
    if (kept === undefined) continue;
    if (kept.channel.$ref !== channel.$ref) found.push(`${name} is on another topic`);
    if (kept.action !== action) found.push(`${name} goes the other way`);
  }
  return found;
};
