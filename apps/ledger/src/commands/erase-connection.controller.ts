import { eraseConnection, type ConnectionAnswerV1, type ConnectionRefV1 } from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { causesOf } from '../consumers/booking/account.ts';
import type { Books } from '../consumers/booking/book-page.ts';
import { RECEIVING } from '../consumers/booking/receive-part.ts';
import { closeConnection } from './close-connection.ts';

export const HIDDEN = Symbol('hidden');
export const NOW = Symbol('now');

const foreign: Reply<ConnectionAnswerV1> = {
  ok: false,
  problem: { status: 404, type: 'not_found', message: 'There is no such connection.' },
};

@Controller()
export class EraseConnectionController {
  constructor(
    @Inject(RECEIVING) private readonly books: Books,
    /** Resolves when the read models hide what has been closed. Throws when they do not in time: it may be asked again. */
    @Inject(HIDDEN) private readonly hidden: (connectionId: string) => Promise<void>,
    @Inject(NOW) private readonly now: () => string,
  ) {}

  @MessagePattern(eraseConnection.type)
  async erase(@Payload() message: Message<ConnectionRefV1>): Promise<Reply<ConnectionAnswerV1>> {
    const { data } = message;
    const outcome = await closeConnection(this.books, { ...data, at: this.now() }, causesOf(message));
    if (outcome === 'foreign') return foreign;
    await this.hidden(data.connectionId);
    return { ok: true, data: { connectionId: data.connectionId } };
  }
}
