import { redeliverEvent, redeliverSince } from '@causeway/contracts';
import { problems, Refused, type Cursors } from '@causeway/http';
import { webhookById, webhookDeliveriesPage, type WebhookDeliveryRow } from '@causeway/read-models';
import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ownerOf } from '../edge/caller.ts';
import type { Commands } from '../edge/commands.ts';
import { accepted, From, type Asked } from '../edge/from.ts';
import { list, rowPageOf } from '../edge/list.ts';
import { Answers, BodyLimit, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { deliveryResponse, RedeliveryResponse, WebhookDeliveryResponse } from './delivery.response.ts';
import { RedeliverBody } from './webhook.body.ts';
import { ListDeliveriesQuery } from './webhook.query.ts';

const eventIdPattern = /^evt_[0-9a-z]{26}$/;

@Controller('v1/webhooks/:webhookId')
export class WebhookDeliveriesController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Get('deliveries')
  @Scope('webhooks:read')
  @Answers(
    200,
    pageOf(WebhookDeliveryResponse),
    'Lists what was sent in the last 90 days and how it went, newest first.',
  )
  async list(
    @From() asked: Asked,
    @Param('webhookId') webhookId: string,
    @Query() query: ListDeliveriesQuery,
  ): Promise<string> {
    await this.reads.found(webhookById(asked.caller, webhookId));
    const { limit, status } = query;
    const ofOne = { ...query, webhookId };
    return list(this.cursors, { asked, query: ofOne }, (after) => {
      const page = webhookDeliveriesPage(asked.caller, { webhookId, status }, { limit, after });
      return rowPageOf<WebhookDeliveryRow>(this.reads, page, limit, deliveryResponse);
    });
  }

  @Post('deliveries/:eventId/redeliver')
  @Scope('webhooks:write')
  @Answers(202, RedeliveryResponse, 'Sends one event again, whatever became of it.')
  @Refuses(['conflict'])
  async redeliver(
    @From() { caller, requestId }: Asked,
    @Param('webhookId') webhookId: string,
    @Param('eventId') eventId: string,
  ): Promise<RedeliveryResponse> {
    if (!eventIdPattern.test(eventId)) throw new Refused(problems.notFound);
    const command = { ...ownerOf(caller), webhookId, eventId };
    const { queued } = accepted(await this.send(redeliverEvent, command, requestId));
    return { queued, meta: { requestId } };
  }

  @Post('redeliver')
  @Scope('webhooks:write')
  @BodyLimit(1024)
  @Answers(202, RedeliveryResponse, 'Sends everything again that was not delivered since a time.')
  @Refuses(['conflict'])
  async redeliverSince(
    @From() { caller, requestId }: Asked,
    @Param('webhookId') webhookId: string,
    @Body() { since }: RedeliverBody,
  ): Promise<RedeliveryResponse> {
    const command = { ...ownerOf(caller), webhookId, since };
    const { queued } = accepted(await this.send(redeliverSince, command, requestId));
    return { queued, meta: { requestId } };
  }
}
