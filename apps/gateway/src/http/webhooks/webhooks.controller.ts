import {
  deleteWebhook,
  oneTimeKey,
  registerWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@causeway/contracts';
import type { Cursors } from '@causeway/http';
import { webhookById, webhooksPage, type WebhookRow } from '@causeway/read-models';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ownerOf } from '../edge/caller.ts';
import type { Commands } from '../edge/commands.ts';
import { accepted, From, type Asked } from '../edge/from.ts';
import { list, rowPageOf } from '../edge/list.ts';
import { Answers, BodyLimit, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { CreateWebhookBody, UpdateWebhookBody } from './webhook.body.ts';
import { ListWebhooksQuery } from './webhook.query.ts';
import {
  webhookResponse,
  WebhookResponse,
  WebhookTestResponse,
  WebhookWithSecretResponse,
} from './webhook.response.ts';

@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Post()
  @Scope('webhooks:write')
  @BodyLimit(128 * 1024)
  @Answers(201, WebhookWithSecretResponse, 'Registers an address that events are sent to.')
  @Refuses(['conflict'])
  async create(
    @From() { caller, requestId }: Asked,
    @Body() body: CreateWebhookBody,
  ): Promise<WebhookWithSecretResponse> {
    const { url, metadata = null } = body;
    const events = [...new Set(body.events)];
    const { publicKey: sealTo, open } = await oneTimeKey();
    const command = { ...ownerOf(caller), url, events, metadata, sealTo };
    const { webhook, sealedSecret } = accepted(await this.send(registerWebhook, command, requestId));
    return { webhook: webhookResponse(webhook, await open(sealedSecret)), meta: { requestId } };
  }

  @Get()
  @Scope('webhooks:read')
  @Answers(200, pageOf(WebhookResponse), 'Lists registrations, newest first.')
  async list(@From() asked: Asked, @Query() query: ListWebhooksQuery): Promise<string> {
    return list(this.cursors, { asked, query }, (after) => {
      const page = webhooksPage(asked.caller, { limit: query.limit, after });
      return rowPageOf<WebhookRow>(this.reads, page, query.limit, (row) => webhookResponse(row));
    });
  }

  @Get(':webhookId')
  @Scope('webhooks:read')
  @Answers(200, WebhookResponse, 'Reads a registration.')
  async get(@From() { caller }: Asked, @Param('webhookId') webhookId: string): Promise<WebhookResponse> {
    return webhookResponse(await this.reads.found<WebhookRow>(webhookById(caller, webhookId)));
  }

  @Patch(':webhookId')
  @Scope('webhooks:write')
  @BodyLimit(128 * 1024)
  @Answers(200, WebhookResponse, 'Changes a registration, or makes it inactive or active again.')
  async update(
    @From() { caller, requestId }: Asked,
    @Param('webhookId') webhookId: string,
    @Body() { events, ...rest }: UpdateWebhookBody,
  ): Promise<WebhookResponse> {
    const change = { ...rest, ...(events && { events: [...new Set(events)] }) };
    const command = { ...ownerOf(caller), webhookId, ...change };
    return webhookResponse(accepted(await this.send(updateWebhook, command, requestId)).webhook);
  }

  @Post(':webhookId/rotateSecret')
  @Scope('webhooks:write')
  @Answers(200, WebhookWithSecretResponse, 'Makes a new secret; the old one signs as well for 24 hours.')
  async rotateSecret(
    @From() { caller, requestId }: Asked,
    @Param('webhookId') webhookId: string,
  ): Promise<WebhookWithSecretResponse> {
    const { publicKey: sealTo, open } = await oneTimeKey();
    const command = { ...ownerOf(caller), webhookId, sealTo };
    const { webhook, sealedSecret } = accepted(await this.send(rotateWebhookSecret, command, requestId));
    return { webhook: webhookResponse(webhook, await open(sealedSecret)), meta: { requestId } };
  }

  @Delete(':webhookId')
  @Scope('webhooks:write')
  @Answers(204, null, 'Deletes a registration: nothing is sent afterwards.')
  async delete(@From() { caller, requestId }: Asked, @Param('webhookId') webhookId: string): Promise<void> {
    accepted(await this.send(deleteWebhook, { ...ownerOf(caller), webhookId }, requestId));
  }

  @Post(':webhookId/test')
  @Scope('webhooks:write')
  @Answers(202, WebhookTestResponse, 'Sends a test event.')
  @Refuses(['conflict'])
  async test(
    @From() { caller, requestId }: Asked,
    @Param('webhookId') webhookId: string,
  ): Promise<WebhookTestResponse> {
    const { eventId } = accepted(await this.send(testWebhook, { ...ownerOf(caller), webhookId }, requestId));
    return { eventId, meta: { requestId } };
  }
}
