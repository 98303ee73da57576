import { type Books, causesOf, erasureStream } from '@causeway/booking';
import { eraseConnection, type ConnectionAnswerV1, type ConnectionRefV1 } from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import type { EventSourced } from '@causeway/service';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { closeConnection } from './close-connection.ts';

export const CLOSING = Symbol('closing');

export type Closing = Books & Pick<EventSourced, 'untilHidden' | 'now' | 'dataKeys'>;

const foreign: Reply<ConnectionAnswerV1> = {
  ok: false,
  problem: { status: 404, type: 'not_found', message: 'There is no such connection.' },
};

@Controller()
export class EraseConnectionController {
  constructor(@Inject(CLOSING) private readonly books: Closing) {}

  @MessagePattern(eraseConnection.type)
  async erase(@Payload() message: Message<ConnectionRefV1>): Promise<Reply<ConnectionAnswerV1>> {
    const { data } = message;
    if (!(await this.books.dataKeys.isOf(data.connectionId, data))) return foreign;
    await closeConnection(this.books, { ...data, at: this.books.now() }, causesOf(message));
    await this.books.untilHidden(erasureStream(data.connectionId));
    return { ok: true, data: { connectionId: data.connectionId } };
  }
}
