import type { JsonSchema } from '@causeway/http';

export const text = { type: 'string' };
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

const addressLines = ['line1', 'line2', 'city', 'region', 'postalCode', 'country'];
export const addressOf = (line: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(addressLines.map((name) => [name, line])),
});
