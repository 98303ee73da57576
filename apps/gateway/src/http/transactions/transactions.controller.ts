import { problems, type Cursors } from '@causeway/http';
import { feedBeginning, feedHead, feedPage, transactionById, transactionsPage } from '@causeway/read-models';
import { Controller, Inject } from '@nestjs/common';
import { okText, refusal, type Answer } from '../edge/answer.ts';
import { bindingOf, jsonPageOf, list } from '../edge/list.ts';
import type { Reads } from '../edge/reads.ts';
import type { Call } from '../edge/route.ts';
import { Serves } from '../edge/serves.ts';
import { CURSORS, NOW_MS, READS } from '../edge/tokens.ts';
import { openFeedCursor, sealFeedCursor } from './feed-cursor.ts';
import { getTransaction, listTransactions, syncTransactions } from './transactions.routes.ts';

@Controller()
export class TransactionsController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(NOW_MS) private readonly nowMs: () => number,
  ) {}

  @Serves(listTransactions)
  async list(call: Call<typeof listTransactions>): Promise<Answer> {
    const { limit, fields, sort, ...filters } = call.query;
    return list(this.cursors, listTransactions, call, (after) =>
      jsonPageOf(this.reads, transactionsPage(call.caller, filters, { sort, fields, limit, after }), limit),
    );
  }

  /** Without a cursor there are no events, and the cursor points at the head: what comes later is all that is new. */
  @Serves(syncTransactions)
  async sync(call: Call<typeof syncTransactions>): Promise<Answer> {
    const { caller, query, requestId } = call;
    const { cursor, limit, fields, ...filters } = query;
    const nowMs = this.nowMs();
    const binding = bindingOf(syncTransactions, call);
    if (cursor === undefined) {
      const head = await this.reads.row<{ key: readonly string[] }>(feedHead(caller));
      const nextCursor = sealFeedCursor(this.cursors, binding, { issuedAtMs: nowMs, key: head?.key ?? feedBeginning });
      return okText(feedText({ data: '', hasMore: false }, nextCursor, requestId));
    }
    const opened = openFeedCursor(this.cursors, binding, { cursor, nowMs });
    if (!opened.ok) return refusal(opened.problem, requestId);
    const page = await jsonPageOf(this.reads, feedPage(caller, filters, { fields, limit, after: opened.after }), limit);
    const key = page.key.length === 0 ? opened.after : page.key;
    return okText(feedText(page, sealFeedCursor(this.cursors, binding, { issuedAtMs: nowMs, key }), requestId));
  }

  @Serves(getTransaction)
  async get({ caller, id, query, requestId }: Call<typeof getTransaction>): Promise<Answer> {
    const row = await this.reads.row<{ data: string }>(transactionById(caller, id, query.fields));
    return row === undefined ? refusal(problems.notFound, requestId) : okText(row.data);
  }
}

type Events = Readonly<{ data: string; hasMore: boolean }>;

const feedText = ({ data, hasMore }: Events, nextCursor: string, requestId: string): string =>
  `{"events":[${data}],"nextCursor":"${nextCursor}","hasMore":${hasMore},"meta":${JSON.stringify({ requestId })}}`;
