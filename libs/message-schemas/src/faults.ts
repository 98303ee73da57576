import type { Message, Reply } from '@causeway/messaging';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import document from '../../../docs/asyncapi.json' with { type: 'json' };
import { formats } from './formats.ts';

/** What is wrong with what arrived, naming the field; undefined: nothing is. No value of it is told. */
export type FaultOf<T> = (arrived: T) => string | undefined;

type Described = Readonly<{ payload: object }>;
const messages: Readonly<Record<string, Described | undefined>> = document.components.messages;

const ajv = new Ajv({ formats, strict: true, allowUnionTypes: true });
const compiled = new Map<string, ValidateFunction>();

const described = (name: string): Described => {
  const message = messages[name];
  if (message === undefined) throw new Error(`docs/asyncapi.json knows no ${name}: npm run asyncapi`);
  return message;
};

/** Each is compiled once, when it is first asked for. */
const validatorOf = (name: string, schema: object): ValidateFunction => {
  const validate = compiled.get(name) ?? ajv.compile(schema);
  compiled.set(name, validate);
  return validate;
};

const told = ([error]: readonly ErrorObject[]): string => {
  const field = error?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  return `${field === '' ? 'it' : field} ${error?.message ?? 'does not fit'}`;
};

const faultBy = (validate: ValidateFunction, value: unknown): string | undefined =>
  validate(value) ? undefined : told(validate.errors ?? []);

/** By the document that is made from the contract's types. Throws for a type that it does not know. */
export const messageFault = (type: string): FaultOf<Pick<Message, 'data'>> => {
  const validate = validatorOf(type, described(type).payload);
  return ({ data }) => faultBy(validate, data);
};

type AnswerSchema = Readonly<{ properties: Readonly<{ reply: object }> }>;

/** The same for what answers a command of this type. */
export const replyFault = (type: string): FaultOf<Reply> => {
  const name = `${type}.reply`;
  const { properties } = described(name).payload as AnswerSchema;
  const validate = validatorOf(name, properties.reply);
  return (reply) => faultBy(validate, reply);
};
