import { join } from 'node:path';
import {
  createFormatter,
  createParser,
  createProgram,
  SchemaGenerator,
  type CompletedConfig,
  type Schema,
} from 'ts-json-schema-generator';

/** A JSON schema without references: what two versions of a message are compared by. */
export type Plain = Readonly<{
  type?: string | readonly string[];
  description?: string;
  format?: string;
  minimum?: number;
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Readonly<Record<string, Plain>>;
  required?: readonly string[];
  items?: Plain;
  anyOf?: readonly Plain[];
  additionalProperties?: Plain | boolean;
}>;

/** What the types of a contract say, by the name of the constant that is the contract. */
export type ContractTypes = Readonly<{ description: string | undefined; data: Plain; reply: Plain | undefined }>;

type Program = ReturnType<typeof createProgram>;
type TypeNode = Parameters<SchemaGenerator['createSchemaFromNodes']>[0][number];
/** The little of TypeScript's syntax tree that is read; the generator brings its own TypeScript, of another version. */
type Declared = Readonly<{
  name: Readonly<{ text?: string }>;
  type?: Readonly<{ typeName?: Readonly<{ text?: string }>; typeArguments?: readonly TypeNode[] }>;
}>;
type Statement = Readonly<{
  declarationList?: Readonly<{ declarations: readonly Declared[] }>;
  jsDoc?: readonly Readonly<{ comment?: unknown }>[];
}>;

const configIn = (root: string): CompletedConfig =>
  ({
    path: join(root, 'libs/contracts/src/index.ts'),
    tsconfig: join(root, 'tsconfig.base.json'),
    expose: 'all',
    topRef: false,
    jsDoc: 'extended',
    // Whoever reads a message ignores fields that it does not know: a version may grow.
    additionalProperties: true,
    sortProps: true,
    skipTypeCheck: true,
    encodeRefs: false,
  }) as CompletedConfig;

const referred = '#/definitions/';

/** Names of definitions hold places in the source: written out, a schema changes only with its type. */
const inlined = (schema: Schema, definitions: Readonly<Record<string, unknown>>, within: readonly string[]): Plain => {
  const name = schema.$ref?.slice(referred.length);
  if (name !== undefined && within.includes(name)) throw new Error(`${name} holds itself: no message does`);
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return inlined(value, definitions, name === undefined ? within : [...within, name]);
  };
  const own = Object.entries(schema).filter(([key]) => !['$ref', '$schema', 'definitions'].includes(key));
  const entries = own.map(([key, value]): [string, unknown] => [key, walk(value)]);
  const target = name === undefined ? {} : walk(definitions[name]);
  return { ...(target as object), ...Object.fromEntries(entries) };
};

const commentOf = ({ jsDoc }: Statement): string | undefined => {
  const comment = jsDoc?.[0]?.comment;
  return typeof comment === 'string' ? comment.replaceAll('\n', ' ') : undefined;
};

/** Read from the declarations themselves: a contract has no second description that could differ. */
export const contractTypes = (root: string): ReadonlyMap<string, ContractTypes> => {
  const config = configIn(root);
  const program: Program = createProgram(config);
  const generator = new SchemaGenerator(program, createParser(program, config), createFormatter(config), config);
  const schemaOf = (node: TypeNode): Plain => {
    const schema = generator.createSchemaFromNodes([node]);
    return inlined(schema, schema.definitions ?? {}, []);
  };
  const found = new Map<string, ContractTypes>();
  for (const { fileName, statements } of program.getSourceFiles()) {
    if (!fileName.includes('/libs/contracts/src/')) continue;
    for (const statement of statements as unknown as readonly Statement[]) {
      for (const { name, type } of statement.declarationList?.declarations ?? []) {
        const [data, reply] = type?.typeArguments ?? [];
        if (!/^(Command|Event)Contract$/.test(type?.typeName?.text ?? '') || data === undefined) continue;
        const types = { data: schemaOf(data), reply: reply && schemaOf(reply) };
        found.set(name.text ?? '', { description: commentOf(statement), ...types });
      }
    }
  }
  return found;
};
