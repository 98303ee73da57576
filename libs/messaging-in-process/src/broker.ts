import { atMost, inOrderByKey } from '@causeway/concurrency';
import {
  CommandFailed,
  copyOf,
  DeadlineExceeded,
  deliver,
  inTime,
  lifetime,
  repliedBy,
  setAsideOf,
  type Consumer,
  type DeadLetter,
  type HandlingSettings,
  type Lifetime,
  type Message,
  type Reply,
  type Transport,
} from '@causeway/messaging';
import { withDefaults, type InProcessSettings } from './settings.ts';

export type InProcessBroker = Transport &
  Readonly<{
    /** Lets messages flow. Until then they wait, so that no group misses what was published before it was there. */
    open(): void;
    /** Delivers a letter's message to its group alone, once more as often as any message. */
    redeliver(letter: DeadLetter): Promise<'done' | 'set aside' | 'nobody handles it'>;
  }>;

/** One group on one topic. */
type Subscription = Readonly<{ consumer: Consumer; limited: ReturnType<typeof atMost> }>;

type Broker = Readonly<{
  settings: HandlingSettings;
  life: Lifetime;
  topics: Map<string, Subscription[]>;
  inOrder: ReturnType<typeof inOrderByKey>;
}>;

/**
 * Keeps nothing: a message is safe because its publisher moves its checkpoint only after `publish` has resolved, and
 * that is when every group has handled the message or has set it aside.
 */
export const inProcessBroker = (given: InProcessSettings): InProcessBroker => {
  const settings = withDefaults(given);
  const life = lifetime();
  const broker: Broker = { settings, life, topics: new Map(), inOrder: inOrderByKey() };
  return {
    open: life.open,
    ready: life.ready,
    close: life.close,
    consume: async (consumer) => subscribe(broker, consumer),
    redeliver: (letter) => redeliver(broker, letter),
    publish: (topic, messages) => publish(broker, topic, messages),
    request: <D extends object>(topic: string, message: Message, timeLeftMs: number) =>
      inTime(request<D>(broker, topic, message, performance.now() + timeLeftMs), timeLeftMs, message.type),
  };
};

const subscribe = ({ topics, settings }: Broker, consumer: Consumer): void => {
  for (const topic of consumer.topics) {
    const others = topics.get(topic) ?? [];
    if (others.some((other) => other.consumer.group === consumer.group)) {
      throw new Error(`${consumer.group} consumes ${topic} already`);
    }
    topics.set(topic, [...others, { consumer, limited: atMost(settings.handlersMax) }]);
  }
};

const publish = async (broker: Broker, topic: string, messages: readonly Message[]): Promise<void> => {
  const { life, topics } = broker;
  await life.opened;
  const deliveries = (topics.get(topic) ?? []).flatMap((subscription) =>
    messages.flatMap((message) => deliveryTo(broker, topic, subscription, message) ?? []),
  );
  const failed = (await Promise.allSettled(deliveries)).find((delivery) => delivery.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
};

/** Undefined when the group has no handler for it. */
const deliveryTo = (
  { life, settings, inOrder }: Broker,
  topic: string,
  { consumer: { group, events }, limited }: Subscription,
  message: Message,
): Promise<'done' | 'set aside'> | undefined => {
  const handler = events.get(message.type);
  if (handler === undefined) return undefined;
  const running = (handler: (message: Message) => Promise<void>) => () =>
    limited(() => life.run(() => handler(copyOf(message))));
  const setAside = events.get(setAsideOf(message.type));
  const handlers = { handle: running(handler), setAside: setAside && running(setAside) };
  return inOrder(keyOf(group, topic, message), () =>
    deliver({ group, topic, message, ...handlers }, settings, life.closing),
  );
};

const redeliver: (broker: Broker, letter: DeadLetter) => ReturnType<InProcessBroker['redeliver']> = async (
  broker,
  { topic, group, message },
) => {
  await broker.life.opened;
  const to = broker.topics.get(topic)?.find(({ consumer }) => consumer.group === group);
  const delivery = to === undefined ? undefined : deliveryTo(broker, topic, to, message);
  return delivery ?? 'nobody handles it';
};

const request = async <D extends object>(
  { life, settings, inOrder, topics }: Broker,
  topic: string,
  message: Message,
  deadline: number,
): Promise<Reply<D>> => {
  await life.opened;
  const to = topics.get(topic)?.find(({ consumer }) => consumer.commands.has(message.type));
  const handler = to?.consumer.commands.get(message.type);
  if (to === undefined || handler === undefined) throw new CommandFailed(`nobody handles ${message.type}`);
  const start = () => {
    if (deadline - performance.now() < settings.startMarginMs) {
      throw new DeadlineExceeded(`${message.type} was not started: too little time was left`);
    }
    return life.run(() => repliedBy<D>(handler, message));
  };
  return inOrder(keyOf(to.consumer.group, topic, message), () => to.limited(async () => start()));
};

const keyOf = (group: string, topic: string, { key }: Message): string => JSON.stringify([group, topic, key]);
