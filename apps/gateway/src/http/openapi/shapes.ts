import { alternativesOf, keywordsOf, nestedShapeOf, type JsonSchema, type Shape } from '@causeway/http';
import { getMetadataStorage } from 'class-validator';

/** What a document refers to by name, collected while it is folded. */
export type Components = Readonly<{ schemas: Map<string, JsonSchema>; responses: Map<string, JsonSchema> }>;

type Rule = Readonly<{ type: string; name?: string; constraints: readonly unknown[]; each?: boolean }>;

const conditional = 'conditionalValidation';

const lengths = ([min, max]: readonly unknown[]): JsonSchema => ({
  minLength: min,
  ...(max === undefined ? {} : { maxLength: max }),
});

/** What class-validator's own rules are in JSON Schema. Rules of ours say it themselves. */
const keywords: Readonly<Record<string, (constraints: readonly unknown[]) => JsonSchema>> = {
  isString: () => ({ type: 'string' }),
  isLength: lengths,
  minLength: lengths,
  maxLength: ([maxLength]) => ({ maxLength }),
  isIn: ([values]) => ({ type: 'string', enum: values }),
  equals: ([value]) => ({ const: value }),
  matches: ([pattern]) => ({ pattern: (pattern as RegExp).source }),
  isEmail: () => ({ type: 'string', format: 'email' }),
  isUrl: () => ({ type: 'string', format: 'uri' }),
  isInt: () => ({ type: 'integer' }),
  min: ([minimum]) => ({ minimum }),
  isBoolean: () => ({ type: 'boolean' }),
  isObject: () => ({ type: 'object' }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: ([minItems]) => ({ minItems }),
  arrayMaxSize: ([maxItems]) => ({ maxItems }),
  // Stands for the nested shape, which is referred to.
  nestedValidation: () => ({}),
};

const keywordsOfRule = ({ name = '', type, constraints }: Rule): JsonSchema => {
  const known = keywords[type === 'nestedValidation' ? type : name];
  if (known !== undefined) return known(constraints);
  const [schema] = constraints;
  if (typeof schema !== 'object' || schema === null) throw new Error(`the rule ${name} says no JSON Schema`);
  return schema as JsonSchema;
};

const rulesOf = (shape: Shape): ReadonlyMap<string, readonly Rule[]> => {
  const rules = new Map<string, Rule[]>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false)) {
    rules.set(rule.propertyName, [...(rules.get(rule.propertyName) ?? []), rule]);
  }
  return rules;
};

/** What a member may hold; `initial`: what it holds where it is left out. */
const memberOf = (rules: readonly Rule[], initial: unknown, nested: JsonSchema | undefined): JsonSchema => {
  const own = rules.filter(({ type }) => type !== conditional);
  const merged = (each: boolean): JsonSchema =>
    Object.assign({}, ...own.filter((rule) => Boolean(rule.each) === each).map(keywordsOfRule)) as JsonSchema;
  const items = merged(true);
  const value = { ...merged(false), ...(Object.keys(items).length > 0 && { items }) };
  const whole = nested ?? value;
  const orNull = rules.some(({ name }) => name === 'isOptional') ? { anyOf: [whole, { type: 'null' }] } : whole;
  return initial === undefined ? orNull : { ...orNull, default: initial };
};

const isRequired = (rules: readonly Rule[]): boolean => !rules.some(({ type }) => type === conditional);

const referred = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const objectOf = (shape: Shape, components: Components): JsonSchema => {
  const initial = new shape() as Readonly<Record<string, unknown>>;
  const rules = [...rulesOf(shape)];
  const prototype = shape.prototype as object;
  return {
    type: 'object',
    required: rules.filter(([, all]) => isRequired(all)).map(([name]) => name),
    properties: Object.fromEntries(
      rules.map(([name, all]) => {
        const nested = nestedShapeOf(prototype, name);
        return [name, memberOf(all, initial[name], nested && shapeSchema(nested, components))];
      }),
    ),
    ...keywordsOf(shape),
  };
};

/** A reference to the schema of a class, which is put among the components; of one of several, the choice. */
export const shapeSchema = (shape: Shape, components: Components): JsonSchema => {
  const choice = alternativesOf(shape);
  if (choice !== undefined) return { oneOf: Object.values(choice.shapes).map((each) => shapeSchema(each, components)) };
  const name = shape.name.replace(/Response$/, '');
  if (!components.schemas.has(name)) {
    components.schemas.set(name, {});
    const isSent = name === shape.name;
    components.schemas.set(name, { ...objectOf(shape, components), ...(isSent && { additionalProperties: false }) });
  }
  return referred(name);
};

/** A schema with a title becomes a component of that name, wherever it stands. */
export const schemaIn = (schema: JsonSchema, components: Components): JsonSchema => {
  const walked = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, walk(value, components)]));
  if (typeof schema['title'] !== 'string') return walked;
  components.schemas.set(schema['title'], walked);
  return referred(schema['title']);
};

const walk = (value: unknown, components: Components): unknown => {
  if (Array.isArray(value)) return value.map((each) => walk(each, components));
  return typeof value === 'object' && value !== null ? schemaIn(value as JsonSchema, components) : value;
};

/** The query parameters of a class, each with its schema. */
export const parametersOf = (shape: Shape): readonly JsonSchema[] => {
  const initial = new shape() as Readonly<Record<string, unknown>>;
  return [...rulesOf(shape)].map(([name, rules]) => {
    const schema = memberOf(rules, initial[name], undefined);
    return {
      ...{ name, in: 'query', required: isRequired(rules) && initial[name] === undefined, schema },
      ...(schema['type'] === 'array' && { style: 'form', explode: false }),
    };
  });
};
