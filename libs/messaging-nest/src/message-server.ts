import { messageFault, type FaultOf } from '@causeway/message-schemas';
import {
  setAsideOf,
  UnreadableMessage,
  type Consumer,
  type Message,
  type Reply,
  type Transport,
} from '@causeway/messaging';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom, throwError, type Observable } from 'rxjs';

export type ServerOptions = Readonly<{
  group: string;
  topics: readonly string[];
  /** What is wrong with a message of a type. Left out: whatever its contract does not say. */
  faultOf?: (type: string) => FaultOf<Message>;
}>;

/**
 * Nest's side of a consumer group: `@MessagePattern(contract.type)` handles a command and returns its `Reply`,
 * `@EventPattern(contract.type)` handles an event; the payload of both is the `Message`, which fits its contract.
 */
export const messageServer = (transport: Transport, options: ServerOptions): CustomTransportStrategy =>
  new MessageServer(transport, options);

// eslint-disable-next-line no-restricted-syntax -- Nest registers handlers with nothing that is not a `Server`
class MessageServer extends Server implements CustomTransportStrategy {
  readonly #transport: Transport;
  readonly #options: ServerOptions;
  /** What a handler throws reaches the bus, which tries again; otherwise Nest would log it and call the event handled. */
  override readonly propagatesEventHandlerErrors = true;

  constructor(transport: Transport, options: ServerOptions) {
    super();
    this.#transport = transport;
    this.#options = options;
  }

  listen(callback: (error?: unknown) => void): void {
    const { group, topics, faultOf = messageFault } = this.#options;
    const handlers = [...this.getHandlers()];
    const of = (kind: 'event' | 'command') =>
      handlers.filter(([, handler]) => (handler.isEventHandler === true) === (kind === 'event'));
    const consumer: Consumer = {
      ...{ group, topics },
      events: new Map(
        of('event').map(([type, handler]) => {
          const handle = fitting(type, handler, faultOf);
          return [type, async (message) => void (await handle(message))];
        }),
      ),
      commands: new Map(
        of('command').map(([type, handler]) => [
          type,
          fitting(type, handler, faultOf) as (m: Message) => Promise<Reply>,
        ]),
      ),
    };
    this.#transport.consume(consumer).then(() => callback(), callback);
  }

  /** Whoever made the transport closes it: other services of the process may still be on it. */
  close(): void {}

  on(): never {
    throw new Error('this transport tells nothing by events');
  }

  unwrap<T>(): T {
    return this.#transport as T;
  }
}

/** What hears that a message was set aside may hear of one that did not fit: it is read as far as it is needed. */
const fitting = (type: string, handler: MessageHandler, faultOf: (type: string) => FaultOf<Message>) => {
  if (type.endsWith(setAsideOf(''))) return (message: Message) => run(handler, message);
  const faultIn = faultOf(type);
  return async (message: Message): Promise<unknown> => {
    const fault = faultIn(message);
    if (fault !== undefined) throw new UnreadableMessage(`${type}: ${fault}`);
    return run(handler, message);
  };
};

const run = async (handler: MessageHandler, message: Message): Promise<unknown> => {
  const result: unknown = await handler(message);
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
};

/**
 * Lets what a handler threw reach the bus as it is, for `app.useGlobalFilters(new MessageFaults())`. Nest's own filter
 * puts "Internal server error" in its place, and a dead letter must tell the reason.
 */
@Catch()
export class MessageFaults implements ExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}
