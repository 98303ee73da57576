import type { JsonSchema } from '@causeway/http';
import { fieldsIn, type Field, type FieldShape, type FieldType } from '@causeway/read-models';

const types: Readonly<Record<FieldType, JsonSchema>> = {
  date: { type: 'string', format: 'date' },
  decimal: { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]{1,18})?$' },
  json: {},
  micros: { type: 'string', format: 'date-time' },
  millis: { type: 'string', format: 'date-time' },
  text: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
};

const schemaOf = ({ type, values, nullable, schema }: Field): JsonSchema => {
  const whole = schema ?? { ...types[type], ...(values && { enum: values }) };
  return nullable === true ? { anyOf: [whole, { type: 'null' }] } : whole;
};

/**
 * The schema of a resource that PostgreSQL renders, from the table that it is rendered by. `required`: what is always
 * there, whatever `fields` asks for; the identifiers when left out.
 */
export const schemaOfFields = (
  title: string,
  fields: readonly Field[],
  shape: FieldShape,
  required?: readonly string[],
): JsonSchema => ({
  title,
  type: 'object',
  required: required ?? fields.filter(({ identifier }) => identifier === true).map(({ name }) => name),
  properties: Object.fromEntries(fieldsIn(fields, shape).map(({ name, field }) => [name, schemaOf(field)])),
});
