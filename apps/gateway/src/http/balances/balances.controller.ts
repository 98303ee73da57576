import type { Cursors } from '@causeway/http';
import { balanceFields, balancesPage } from '@causeway/read-models';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { From, type Asked } from '../edge/from.ts';
import { jsonPageOf, list } from '../edge/list.ts';
import { Answers, pageOf, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { CURSORS, READS } from '../edge/tokens.ts';
import { schemaOfFields } from '../openapi/fields.ts';
import { ListBalancesQuery } from './balance.query.ts';

@Controller('v1/balances')
export class BalancesController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
  ) {}

  @Get()
  @Scope('accounts:read')
  @Answers(
    200,
    pageOf(schemaOfFields('Balance', balanceFields, 'list')),
    'Lists daily balances, newest date first; with `updatedAtGte` in the order of their changes.',
  )
  async list(@From() asked: Asked, @Query() query: ListBalancesQuery): Promise<string> {
    const { limit, ...filters } = query;
    return list(this.cursors, { asked, query }, (after) =>
      jsonPageOf(this.reads, balancesPage(asked.caller, filters, { limit, after })),
    );
  }
}
