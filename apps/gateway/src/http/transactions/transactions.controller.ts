import { Refused, type Cursors } from '@causeway/http';
import {
  feedBeginning,
  feedHead,
  feedPage,
  singleTransaction,
  transactionById,
  transactionFields,
  transactionsPage,
} from '@causeway/read-models';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { From, type Asked } from '../edge/from.ts';
import { bindingOf, jsonPageOf, list } from '../edge/list.ts';
import { Answers, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { CURSORS, NOW_MS, READS } from '../edge/tokens.ts';
import { schemaOfFields } from '../openapi/fields.ts';
import { openFeedCursor, sealFeedCursor } from './feed-cursor.ts';
import { feedSchema, feedText } from './feed.response.ts';
import { GetTransactionQuery, ListTransactionsQuery, SyncTransactionsQuery } from './transaction.query.ts';

@Controller('v1/transactions')
export class TransactionsController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(NOW_MS) private readonly nowMs: () => number,
  ) {}

  @Get()
  @Scope('transactions:read')
  @Answers(200, pageOf(schemaOfFields('Transaction', transactionFields, 'list')), 'Lists transactions.')
  async list(@From() asked: Asked, @Query() query: ListTransactionsQuery): Promise<string> {
    const { limit, fields, sort, ...filters } = query;
    return list(this.cursors, { asked, query }, (after) =>
      jsonPageOf(this.reads, transactionsPage(asked.caller, filters, { sort, fields, limit, after })),
    );
  }

  /** Without a cursor there are no events, and the cursor points at the head: what comes later is all that is new. */
  @Get('sync')
  @Scope('transactions:read')
  @Answers(200, feedSchema, 'Reads what has changed since a cursor, in the order of the changes.')
  @Refuses(['cursor_expired'])
  async sync(@From() asked: Asked, @Query() query: SyncTransactionsQuery): Promise<string> {
    const { caller, requestId } = asked;
    const { cursor, limit, fields, ...filters } = query;
    const nowMs = this.nowMs();
    const binding = bindingOf({ asked, query });
    if (cursor === undefined) {
      const head = await this.reads.row<{ key: readonly string[] }>(feedHead(caller));
      const nextCursor = sealFeedCursor(this.cursors, binding, { issuedAtMs: nowMs, key: head?.key ?? feedBeginning });
      return feedText({ data: '', hasMore: false }, nextCursor, requestId);
    }
    const opened = openFeedCursor(this.cursors, binding, { cursor, nowMs });
    if (!opened.ok) throw new Refused(opened.problem);
    const page = await jsonPageOf(this.reads, feedPage(caller, filters, { fields, limit, after: opened.after }));
    const key = page.key.length === 0 ? opened.after : page.key;
    return feedText(page, sealFeedCursor(this.cursors, binding, { issuedAtMs: nowMs, key }), requestId);
  }

  @Get(':transactionId')
  @Scope('transactions:read')
  @Answers(200, schemaOfFields('SingleTransaction', transactionFields, 'single'), 'Reads a transaction.')
  async get(
    @From() { caller }: Asked,
    @Param('transactionId') transactionId: string,
    @Query() { fields }: GetTransactionQuery,
  ): Promise<string> {
    const { json } = await this.reads.found<{ json: string }>(transactionById(caller, transactionId));
    return singleTransaction(json, fields);
  }
}
