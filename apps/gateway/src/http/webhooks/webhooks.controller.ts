import { deleteWebhook, oneTimeKey, registerWebhook, testWebhook } from '@causeway/contracts';
import { problems, type Cursors } from '@causeway/http';
import { webhookById, webhooksPage, type WebhookRow } from '@causeway/read-models';
import { Controller, Inject } from '@nestjs/common';
import { answer, noContent, ok, refusal, type Answer } from '../edge/answer.ts';
import type { Commands } from '../edge/commands.ts';
import { list, rowPageOf } from '../edge/list.ts';
import type { Reads } from '../edge/reads.ts';
import type { Call } from '../edge/route.ts';
import { Serves } from '../edge/serves.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { webhookResponse } from './webhook.response.ts';
import { createWebhook, deleteWebhookRoute, getWebhook, listWebhooks, testWebhookRoute } from './webhooks.routes.ts';

@Controller()
export class WebhooksController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Serves(createWebhook)
  async create({ caller, body, requestId }: Call<typeof createWebhook>): Promise<Answer> {
    const { organization, environment } = caller;
    const { url, metadata = null } = body;
    const events = [...new Set(body.events)];
    const { publicKey: sealTo, open } = await oneTimeKey();
    const command = { organization, environment, url, events, metadata, sealTo };
    const reply = await this.send(registerWebhook, command, requestId);
    if (!reply.ok) return refusal(reply.problem, requestId);
    const secret = await open(reply.data.sealedSecret);
    return answer(201, { webhook: webhookResponse(reply.data.webhook, secret), meta: { requestId } });
  }

  @Serves(listWebhooks)
  async list(call: Call<typeof listWebhooks>): Promise<Answer> {
    const { limit } = call.query;
    return list(this.cursors, listWebhooks, call, (after) =>
      rowPageOf<WebhookRow>(this.reads, webhooksPage(call.caller, { limit, after }), limit, (row) =>
        webhookResponse(row),
      ),
    );
  }

  @Serves(getWebhook)
  async get({ caller, id, requestId }: Call<typeof getWebhook>): Promise<Answer> {
    const row = await this.reads.row<WebhookRow>(webhookById(caller, id));
    return row === undefined ? refusal(problems.notFound, requestId) : ok(webhookResponse(row));
  }

  @Serves(deleteWebhookRoute)
  async delete({ caller, id, requestId }: Call<typeof deleteWebhookRoute>): Promise<Answer> {
    const { organization, environment } = caller;
    const reply = await this.send(deleteWebhook, { organization, environment, webhookId: id }, requestId);
    return reply.ok ? noContent : refusal(reply.problem, requestId);
  }

  @Serves(testWebhookRoute)
  async test({ caller, id, requestId }: Call<typeof testWebhookRoute>): Promise<Answer> {
    const { organization, environment } = caller;
    const reply = await this.send(testWebhook, { organization, environment, webhookId: id }, requestId);
    if (!reply.ok) return refusal(reply.problem, requestId);
    return answer(202, { eventId: reply.data.eventId, meta: { requestId } });
  }
}
