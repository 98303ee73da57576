import { Refused, type Cursors } from '@causeway/http';
import {
  feedBeginning,
  feedHead,
  feedPage,
  knownTransaction,
  singleTransaction,
  transactionById,
  transactionFields,
  transactionHistory,
  transactionsPage,
} from '@causeway/read-models';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import type { AsOf } from '../edge/as-of.ts';
import { From, type Asked } from '../edge/from.ts';
import { bindingOf, jsonPageOf, list } from '../edge/list.ts';
import { Answers, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { AS_OF, CURSORS, NOW_MS, READS } from '../edge/tokens.ts';
import { schemaOfFields } from '../openapi/fields.ts';
import { openFeedCursor, sealFeedCursor } from './feed-cursor.ts';
import { feedSchema, feedText } from './feed.response.ts';
import { transactionChangeSchema } from './transaction-change.response.ts';
import {
  GetTransactionQuery,
  ListTransactionsQuery,
  SyncTransactionsQuery,
  TransactionHistoryQuery,
} from './transaction.query.ts';

@Controller('v1/transactions')
export class TransactionsController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(NOW_MS) private readonly nowMs: () => number,
    @Inject(AS_OF) private readonly asOf: AsOf,
  ) {}

  @Get()
  @Scope('transactions:read')
  @Answers(
    200,
    pageOf(schemaOfFields('Transaction', transactionFields, 'list')),
    'Lists transactions; with `asOf`, as it would have at that instant.',
  )
  async list(@From() asked: Asked, @Query() query: ListTransactionsQuery): Promise<string> {
    const { limit, fields, sort, ...filters } = query;
    return list(this.cursors, { asked, query }, async (after) => {
      await this.asOf('transactions', query.asOf);
      return jsonPageOf(this.reads, transactionsPage(asked.caller, filters, { sort, fields, limit, after }));
    });
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
  @Answers(
    200,
    schemaOfFields('SingleTransaction', transactionFields, 'single'),
    'Reads a transaction; with `asOf`, as it was shown at that instant.',
  )
  async get(
    @From() { caller }: Asked,
    @Param('transactionId') transactionId: string,
    @Query() { fields, asOf }: GetTransactionQuery,
  ): Promise<string> {
    await this.asOf('transactions', asOf);
    const { json } = await this.reads.found<{ json: string }>(transactionById(caller, transactionId, asOf));
    return singleTransaction(json, fields);
  }

  @Get(':transactionId/history')
  @Scope('transactions:read')
  @Answers(200, pageOf(transactionChangeSchema), 'Lists what became of a transaction, oldest first.')
  async history(
    @From() asked: Asked,
    @Param('transactionId') transactionId: string,
    @Query() query: TransactionHistoryQuery,
  ): Promise<string> {
    const { caller } = asked;
    await this.reads.found(knownTransaction(caller, transactionId));
    const paged = { asked, query: { ...query, transactionId } };
    return list(this.cursors, paged, (after) =>
      jsonPageOf(this.reads, transactionHistory(caller, transactionId, { limit: query.limit, after })),
    );
  }
}
