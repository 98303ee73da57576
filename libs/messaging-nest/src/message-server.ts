import type { Consumer, Message, Reply, Transport } from '@causeway/messaging';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom, throwError, type Observable } from 'rxjs';

export type ServerOptions = Readonly<{ group: string; topics: readonly string[] }>;

/**
 * Nest's side of a consumer group: `@MessagePattern(contract.type)` handles a command and returns its `Reply`,
 * `@EventPattern(contract.type)` handles an event; the payload of both is the `Message`.
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
    const handlers = [...this.getHandlers()];
    const of = (kind: 'event' | 'command') =>
      handlers.filter(([, handler]) => (handler.isEventHandler === true) === (kind === 'event'));
    const consumer: Consumer = {
      ...this.#options,
      events: new Map(
        of('event').map(([type, handler]) => [type, async (message) => void (await run(handler, message))]),
      ),
      commands: new Map(
        of('command').map(([type, handler]) => [type, (message) => run(handler, message) as Promise<Reply>]),
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
