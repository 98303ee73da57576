import type { Cursors } from '@causeway/http';
import { balanceFields, balanceHistory, balancesPage, knownBalance } from '@causeway/read-models';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { AsOf } from '../edge/as-of.ts';
import { From, type Asked } from '../edge/from.ts';
import { jsonPageOf, list } from '../edge/list.ts';
import { Answers, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { AS_OF, CURSORS, READS } from '../edge/tokens.ts';
import { schemaOfFields } from '../openapi/fields.ts';
import { balanceChangeSchema } from './balance-change.response.ts';
import { BalanceHistoryQuery, ListBalancesQuery } from './balance.query.ts';

@Controller('v1/balances')
export class BalancesController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(AS_OF) private readonly asOf: AsOf,
  ) {}

  @Get()
  @Scope('accounts:read')
  @Answers(
    200,
    pageOf(schemaOfFields('Balance', balanceFields, 'list')),
    'Lists daily balances, newest date first; with `updatedAtGte` in the order of their changes; with `asOf`, as at that instant.',
  )
  async list(@From() asked: Asked, @Query() query: ListBalancesQuery): Promise<string> {
    const { limit, ...filters } = query;
    return list(this.cursors, { asked, query }, async (after) => {
      await this.asOf('balances', query.asOf);
      return jsonPageOf(this.reads, balancesPage(asked.caller, filters, { limit, after }));
    });
  }

  @Get('history')
  @Scope('accounts:read')
  @Answers(200, pageOf(balanceChangeSchema), 'Lists what became of a daily balance, oldest first.')
  @Refuses(['not_found'])
  async history(@From() asked: Asked, @Query() query: BalanceHistoryQuery): Promise<string> {
    const { limit, ...day } = query;
    await this.reads.found(knownBalance(asked.caller, day));
    return list(this.cursors, { asked, query }, (after) =>
      jsonPageOf(this.reads, balanceHistory(asked.caller, day, { limit, after })),
    );
  }
}
