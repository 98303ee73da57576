import { fieldsIn, type Field, type FieldShape } from './field.ts';

/** Quotes within a string are escaped: what is found is the member, and nothing that a bank wrote. */
const renamed = (json: string, { name, field }: Readonly<{ name: string; field: Field }>): string =>
  name === field.name ? json : json.replace(`"${field.name}":`, `"${name}":`);

/** The text of a row, which is that of lists, in a shape. `asked`: what `fields` names; undefined: all. */
export const shapedAs = (fields: readonly Field[], shape: FieldShape, asked: readonly string[] | undefined) => {
  const members = fieldsIn(fields, shape);
  if (asked === undefined) return (json: string): string => members.reduce(renamed, json);
  const shown = members.filter(({ name, field }) => field.identifier === true || asked.includes(name));
  return (json: string): string => {
    const row = JSON.parse(json) as Readonly<Record<string, unknown>>;
    return JSON.stringify(Object.fromEntries(shown.map(({ name, field }) => [name, row[field.name]])));
  };
};
