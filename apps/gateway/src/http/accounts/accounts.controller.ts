import type { Cursors } from '@causeway/http';
import { accountById, accountFields, accountsPage } from '@causeway/read-models';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { From, type Asked } from '../edge/from.ts';
import { jsonPageOf, list } from '../edge/list.ts';
import { Answers, pageOf, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { CURSORS, READS } from '../edge/tokens.ts';
import { schemaOfFields } from '../openapi/fields.ts';
import { GetAccountQuery, ListAccountsQuery } from './account.query.ts';

@Controller('v1/accounts')
export class AccountsController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
  ) {}

  @Get()
  @Scope('accounts:read')
  @Answers(200, pageOf(schemaOfFields('Account', accountFields, 'list')), 'Lists accounts, oldest first.')
  async list(@From() asked: Asked, @Query() query: ListAccountsQuery): Promise<string> {
    const { limit, fields, ...filters } = query;
    return list(this.cursors, { asked, query }, (after) =>
      jsonPageOf(this.reads, accountsPage(asked.caller, filters, { fields, limit, after })),
    );
  }

  @Get(':accountId')
  @Scope('accounts:read')
  @Answers(200, schemaOfFields('SingleAccount', accountFields, 'single'), 'Reads an account.')
  async get(
    @From() { caller }: Asked,
    @Param('accountId') accountId: string,
    @Query() { fields }: GetAccountQuery,
  ): Promise<string> {
    return (await this.reads.found<{ data: string }>(accountById(caller, accountId, fields))).data;
  }
}
