import type { Consumer, Message, Reply, Transport } from '@causeway/messaging';
import type { Logger, Metrics } from '@causeway/observability';

export type Observers = Readonly<{ log: Logger; metrics: Metrics }>;

const secondsSince = (beganMs: number): number => (performance.now() - beganMs) / 1000;

/** Tells of one message what became of it: by the id of the request that it began with, a line in the log. */
const observing = ({ log, metrics }: Observers) => {
  const told = (message: Message, outcome: 'done' | 'refused' | 'failed', beganMs: number, err?: unknown): void => {
    const seconds = secondsSince(beganMs);
    metrics.handled(message.type, outcome, seconds);
    const { type, id, correlationId: requestId } = message;
    const line = { requestId, message: type, messageId: id, outcome, ms: Math.round(seconds * 1000) };
    if (err === undefined) log.info(line, 'handled');
    else log.warn({ ...line, err }, 'handled');
  };
  return <T>(handle: (message: Message) => Promise<T>, outcomeOf: (result: T) => 'done' | 'refused') =>
    async (message: Message): Promise<T> => {
      const began = performance.now();
      try {
        const result = await handle(message);
        told(message, outcomeOf(result), began);
        return result;
      } catch (error) {
        told(message, 'failed', began, error);
        throw error;
      }
    };
};

const mapped = <T>(handlers: ReadonlyMap<string, T>, each: (handler: T) => T): ReadonlyMap<string, T> =>
  new Map([...handlers].map(([type, handler]) => [type, each(handler)]));

const outcomeOf = ({ ok }: Reply): 'done' | 'refused' => (ok ? 'done' : 'refused');

/** The same transport; what passes through it is counted and timed, and what is handled is told to the log. */
export const observed = (transport: Transport, observers: Observers): Transport => {
  const { metrics } = observers;
  const observe = observing(observers);
  const consume = ({ events, commands, ...rest }: Consumer): Promise<void> =>
    transport.consume({
      ...rest,
      events: mapped(events, (handle) => observe(handle, () => 'done')),
      commands: mapped(commands, (handle) => observe(handle, outcomeOf)),
    });

  const publish: Transport['publish'] = async (topic, messages) => {
    await transport.publish(topic, messages);
    metrics.published(topic, messages.length);
  };

  const request = async <D extends object>(topic: string, message: Message, timeLeftMs: number): Promise<Reply<D>> => {
    const began = performance.now();
    let outcome: 'done' | 'refused' | 'failed' = 'failed';
    try {
      const reply = await transport.request<D>(topic, message, timeLeftMs);
      outcome = outcomeOf(reply);
      return reply;
    } finally {
      metrics.asked(message.type, outcome, secondsSince(began));
    }
  };
  return { consume, publish, request, ready: () => transport.ready(), close: (withinMs) => transport.close(withinMs) };
};
