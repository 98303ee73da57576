import type { Document } from '../src/http/openapi/document.ts';

type Schema = Readonly<Record<string, unknown>>;
type Direction = 'sent' | 'answered';
type Operation = Readonly<{
  parameters?: readonly Readonly<{ name: string; in: string; required?: boolean; schema: Schema }>[];
  requestBody?: Readonly<{ content: Contents }>;
  responses: Readonly<Record<string, Schema>>;
}>;
type Contents = Readonly<Record<string, Readonly<{ schema: Schema }>>>;

const reference = /^#\/components\/(schemas|responses)\/(.*)$/;

/** Follows a reference: two documents are compared by what they say, not by how they name it. */
const resolved = ({ components }: Document, told: Schema): Schema => {
  const [, kind, name = ''] = reference.exec(String(told['$ref'])) ?? [];
  return kind === undefined ? told : (components[kind as 'schemas' | 'responses'][name] ?? {});
};

const members = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
const listOf = (schema: Schema, keyword: string): readonly unknown[] => (schema[keyword] ?? []) as readonly unknown[];
const kindOf = (schema: Schema): string => JSON.stringify([schema['type'] ?? null, schema['format'] ?? null]);

type Both = Readonly<{ before: Document; after: Document; direction: Direction }>;

/** A client that was written for the one would stumble over the other. */
const changesOf = (both: Both, place: string, [old, now]: readonly [Schema, Schema]): readonly string[] => {
  const [before, after] = [resolved(both.before, old), resolved(both.after, now)];
  const isSent = both.direction === 'sent';
  const found: string[] = kindOf(before) === kindOf(after) ? [] : [`${place} is of another type`];
  const values = listOf(after, 'enum');
  const lost = listOf(before, 'enum').filter((value) => isSent && values.length > 0 && !values.includes(value));
  found.push(...lost.map((value) => `${place} can no longer be ${String(value)}`));
  if (isSent && values.length > 0 && before['enum'] === undefined) found.push(`${place} can no longer be anything`);
  for (const name of isSent ? listOf(after, 'required') : listOf(before, 'required')) {
    const there = listOf(isSent ? before : after, 'required').includes(name);
    if (!there) found.push(`${place}.${String(name)} ${isSent ? 'must be there' : 'may be missing'}`);
  }
  for (const [name, schema] of Object.entries(members(before))) {
    const kept = members(after)[name];
    if (kept === undefined) found.push(`${place}.${name} is gone`);
    else found.push(...changesOf(both, `${place}.${name}`, [schema, kept]));
  }
  if (before['items'] !== undefined && after['items'] !== undefined) {
    found.push(...changesOf(both, `${place}[]`, [before['items'] as Schema, after['items'] as Schema]));
  }
  return found;
};

const contentOf = (document: Document, response: Schema): Contents =>
  (resolved(document, response)['content'] ?? {}) as Contents;

const contentChanges = (both: Both, place: string, [old, now]: readonly [Contents, Contents]): readonly string[] =>
  Object.entries(old).flatMap(([type, { schema }]) => {
    const kept = now[type];
    return kept === undefined ? [`${place} is no ${type}`] : changesOf(both, place, [schema, kept.schema]);
  });

const parameterChanges = (
  both: Both,
  place: string,
  [old, now]: readonly [Operation, Operation],
): readonly string[] => {
  const found: string[] = [];
  for (const parameter of old.parameters ?? []) {
    const kept = now.parameters?.find((each) => each.name === parameter.name && each.in === parameter.in);
    if (kept === undefined) found.push(`${place} takes no ${parameter.name}`);
    else found.push(...changesOf(both, `${place} ${parameter.name}`, [parameter.schema, kept.schema]));
  }
  const known = new Set(old.parameters?.map(({ name }) => name));
  const demanded = (now.parameters ?? []).filter(({ name, required }) => required === true && !known.has(name));
  return [...found, ...demanded.map(({ name }) => `${place} demands ${name}`)];
};

/**
 * What of the published document the new one breaks. Routes, optional parameters, members of answers and values may be
 * added; all else is a new version of the interface.
 */
export const breakingChanges = (before: Document, after: Document): readonly string[] => {
  const found: string[] = [];
  const sent: Both = { before, after, direction: 'sent' };
  const answered: Both = { before, after, direction: 'answered' };
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, old] of Object.entries(methods) as unknown as readonly [string, Operation][]) {
      const place = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method] as Operation | undefined;
      if (now === undefined) {
        found.push(`${place} is gone`);
        continue;
      }
      found.push(...parameterChanges(sent, place, [old, now]));
      const bodies = [old.requestBody?.content ?? {}, now.requestBody?.content ?? {}] as const;
      if (old.requestBody === undefined && now.requestBody !== undefined) found.push(`${place} demands a body`);
      found.push(...contentChanges(sent, `${place} body`, bodies));
      for (const [status, response] of Object.entries(old.responses)) {
        const kept = now.responses[status];
        if (kept === undefined) found.push(`${place} no longer answers ${status}`);
        else {
          const contents = [contentOf(before, response), contentOf(after, kept)] as const;
          found.push(...contentChanges(answered, `${place} ${status}`, contents));
        }
      }
    }
  }
  return found;
};
