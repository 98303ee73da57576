import * as contracts from '../index.ts';
import { topics } from '../topics.ts';
import { headerSchemas, type Headers } from './headers.ts';
import { contractTypes, type Plain } from './schemas.ts';

type Ref = Readonly<{ $ref: string }>;
export type Message = Readonly<{
  name: string;
  summary?: string;
  payload: Plain;
  headers: Ref;
  bindings: Readonly<{ kafka: Readonly<{ key: Plain }> }>;
}>;
type Operation = Readonly<{
  action: 'send' | 'receive';
  channel: Ref;
  messages: readonly Ref[];
  reply?: Readonly<{ channel: Ref; messages: readonly Ref[] }>;
}>;

/** The parts of an AsyncAPI 3 document that are made here. */
export type AsyncApi = Readonly<{
  asyncapi: '3.0.0';
  info: Readonly<{ title: string; version: string; description: string }>;
  defaultContentType: string;
  channels: Readonly<Record<string, Readonly<{ address: string; messages: Readonly<Record<string, Ref>> }>>>;
  operations: Readonly<Record<string, Operation>>;
  components: Readonly<{
    schemas: Readonly<Record<string, Plain>>;
    messages: Readonly<Record<string, Message>>;
  }>;
}>;

type Contract = Readonly<{ type: string; topic: string; hasAttachment?: boolean }>;
type Published = Contract & Readonly<{ description: string | undefined; data: Plain; reply: Plain | undefined }>;

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'type' in value && 'topic' in value && 'keyOf' in value;

/** Every contract that the library exports, with what its types say, in the order of their names. */
const published = (root: string): readonly Published[] => {
  const types = contractTypes(root);
  return Object.entries(contracts)
    .flatMap(([name, value]): Published[] => {
      if (!isContract(value)) return [];
      const found = types.get(name);
      if (found === undefined) throw new Error(`${name} is a contract whose types were not found`);
      const { type, topic, hasAttachment = false } = value;
      return [{ type, topic, hasAttachment, ...found }];
    })
    .sort((one, other) => (one.type < other.type ? -1 : 1));
};

/** The topic as libs/messaging-kafka names it. */
const replies = 'causeway.replies';
const replyOf = (type: string): string => `${type}.reply`;
const isEvent = ({ reply }: Published): boolean => reply === undefined;

/** What a handler said, whether the command was done or refused. */
const saidWith = (data: Plain): Plain => ({
  type: 'object',
  required: ['ok'],
  properties: {
    ok: {
      type: 'boolean',
      description: 'Whether the command was done: `data` is there then, and `problem` otherwise.',
    },
    data,
    problem: {
      type: 'object',
      description: 'What the client is told, word for word.',
      required: ['status', 'type', 'message'],
      properties: {
        status: { type: 'number' },
        type: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'object' },
      },
    },
  },
});

/** The value of a record on the topic of replies. */
const answerWith = (data: Plain): Plain => ({
  type: 'object',
  description: 'What became of the command: one of the three.',
  anyOf: [{ required: ['reply'] }, { required: ['failed'] }, { required: ['notStarted'] }],
  properties: {
    reply: saidWith(data),
    failed: { type: 'string', description: 'Why there is no reply. What the command did is unknown.' },
    notStarted: { type: 'boolean', const: true, description: 'Too little time was left: nothing was done.' },
  },
});

type Described = Readonly<{ payload: Plain; headers: Headers; summary?: string | undefined }>;

const messageNamed = (name: string, { payload, headers, summary }: Described): Message => ({
  name,
  ...(summary === undefined ? {} : { summary }),
  payload,
  headers: { $ref: `#/components/schemas/${headers}` },
  bindings: { kafka: { key: { type: 'string' } } },
});

const ownHeaders = ({ reply, hasAttachment }: Published): Headers => {
  if (reply !== undefined) return 'commandHeaders';
  return hasAttachment === true ? 'attachmentHeaders' : 'eventHeaders';
};

const messagesOf = (all: readonly Published[]): Record<string, Message> => {
  const messages: Record<string, Message> = {};
  for (const contract of all) {
    const { type, description: summary, data, reply } = contract;
    messages[type] = messageNamed(type, { payload: data, headers: ownHeaders(contract), summary });
    if (reply === undefined) continue;
    const name = replyOf(type);
    messages[name] = messageNamed(name, { payload: answerWith(reply), headers: 'replyHeaders' });
  }
  return messages;
};

const listed = (types: readonly string[]): Record<string, Ref> =>
  Object.fromEntries(types.map((type) => [type, { $ref: `#/components/messages/${type}` }]));

const on = (channel: string, type: string) => ({
  channel: { $ref: `#/channels/${channel}` },
  messages: [{ $ref: `#/channels/${channel}/messages/${type}` }],
});

const operationOf = (contract: Published): Operation => {
  const { type, topic } = contract;
  if (isEvent(contract)) return { action: 'send', ...on(topic, type) };
  return { action: 'receive', ...on(topic, type), reply: on(replies, replyOf(type)) };
};

/** What crosses the bus, as AsyncAPI 3: from the side of the service that owns the message. */
export const asyncApi = (root: string): AsyncApi => {
  const all = published(root);
  const typesOn = (topic: string): string[] => all.filter((one) => one.topic === topic).map(({ type }) => type);
  const channels = topics
    .map(({ name }) => [name, { address: name, messages: listed(typesOn(name)) }] as const)
    .filter(([, { messages }]) => Object.keys(messages).length > 0);
  const answered = all.filter((one) => !isEvent(one)).map(({ type }) => replyOf(type));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Causeway',
      version: '1.0.0',
      description:
        'Messages between the services. A published version never changes but to grow; what would break a reader or a ' +
        'writer of it is a new version beside it. Made from the types in libs/contracts by `npm run asyncapi`.',
    },
    defaultContentType: 'application/json',
    channels: { ...Object.fromEntries(channels), [replies]: { address: replies, messages: listed(answered) } },
    operations: Object.fromEntries(all.map((one) => [one.type, operationOf(one)])),
    components: { schemas: headerSchemas, messages: messagesOf(all) },
  };
};
