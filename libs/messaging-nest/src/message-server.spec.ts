import type { DeadLetter, Message, Reply } from '@causeway/messaging';
import { CommandFailed } from '@causeway/messaging';
import { inProcessBroker, type InProcessBroker } from '@causeway/messaging-in-process';
import { Controller, Inject, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { messageServer, MessageFaults } from './message-server.ts';

const LOG = Symbol('log');
const log: string[] = [];

@Controller()
class Notes {
  constructor(@Inject(LOG) private readonly log: string[]) {}

  @MessagePattern('notes.add.v1')
  async add({ data, correlationId }: Message): Promise<Reply> {
    if ('fault' in data) throw new Error('the database is down');
    this.log.push(`added for ${correlationId}`);
    return { ok: true, data };
  }

  @EventPattern('accounts.opened.v1')
  async opened({ id }: Message): Promise<void> {
    this.log.push(id);
    if (id === 'poison') throw new Error('cannot read this');
  }
}

@Controller()
class Counter {
  constructor(@Inject(LOG) private readonly log: string[]) {}

  @EventPattern('accounts.opened.v1')
  async opened({ id }: Message): Promise<void> {
    this.log.push(`${id} counted`);
  }
}

@Module({ controllers: [Notes, Counter], providers: [{ provide: LOG, useValue: log }] })
class NotesModule {}

const message = (type: string, id: string, data: object = {}): Message => ({
  id,
  type,
  key: 'k',
  data,
  correlationId: 'req-1',
  causationId: 'cause-1',
});

const faultOf =
  () =>
  ({ data }: Message) =>
    'unfit' in data ? 'unfit must not be there' : undefined;

describe('a Nest service on the in-process broker', () => {
  const letters: DeadLetter[] = [];
  let broker: InProcessBroker;
  let app: INestMicroservice;
  beforeAll(async () => {
    const deadLetters = { add: async (letter: DeadLetter) => void letters.push(letter) };
    broker = inProcessBroker({ deadLetters, attemptsMax: 2, backoffMs: 1, startMarginMs: 0 });
    const strategy = messageServer(broker, { group: 'notes', topics: ['commands', 'events'], faultOf });
    app = await NestFactory.createMicroservice(NotesModule, { strategy, logger: false });
    app.useGlobalFilters(new MessageFaults());
    await app.listen();
    broker.open();
  });
  beforeEach(() => void (log.length = 0));
  afterAll(async () => {
    await broker.close();
    await app.close();
  });

  test('answers commands by their type, with the message as payload', async () => {
    const reply = await broker.request('commands', message('notes.add.v1', 'c1', { text: 'x' }), 1000);
    expect(reply).toEqual({ ok: true, data: { text: 'x' } });
    expect(log).toEqual(['added for req-1']);
  });

  test('a fault of a command handler reaches the sender as one', async () => {
    const asked = broker.request('commands', message('notes.add.v1', 'c2', { fault: true }), 1000);
    await expect(asked).rejects.toThrow(CommandFailed);
    await expect(asked).rejects.toMatchObject({ cause: new Error('the database is down') });
  });

  test('an event goes to every handler of its type', async () => {
    await broker.publish('events', [message('accounts.opened.v1', 'e1')]);
    expect(log).toEqual(['e1', 'e1 counted']);
  });

  test('what does not fit its type reaches no handler, and the field is named', async () => {
    const asked = broker.request('commands', message('notes.add.v1', 'c3', { unfit: 1 }), 1000);
    await expect(asked).rejects.toMatchObject({ cause: new Error('notes.add.v1: unfit must not be there') });
    await broker.publish('events', [message('accounts.opened.v1', 'e2', { unfit: 1 })]);
    expect(log).toEqual([]);
    expect(letters.splice(0)).toMatchObject([{ reason: 'Error: accounts.opened.v1: unfit must not be there' }]);
  });

  test('a service that handles what no contract says does not start', async () => {
    const strategy = messageServer(broker, { group: 'others', topics: ['events'] });
    const other = await NestFactory.createMicroservice(NotesModule, { strategy, logger: false });
    await expect(other.listen()).rejects.toThrow('docs/asyncapi.json knows no accounts.opened.v1');
  });

  test('an event handler that throws is tried again, and its reason is in the dead letter', async () => {
    await broker.publish('events', [message('accounts.opened.v1', 'poison')]);
    expect(log).toEqual(['poison', 'poison counted', 'poison', 'poison counted']);
    expect(letters).toMatchObject([
      { group: 'notes', topic: 'events', reason: 'Error: cannot read this', attempts: 2 },
    ]);
  });
});
