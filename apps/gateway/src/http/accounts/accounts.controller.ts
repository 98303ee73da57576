import { problems, type Cursors } from '@causeway/http';
import { accountById, accountsPage } from '@causeway/read-models';
import { Controller, Inject } from '@nestjs/common';
import { okText, refusal, type Answer } from '../edge/answer.ts';
import { jsonPageOf, list } from '../edge/list.ts';
import type { Reads } from '../edge/reads.ts';
import type { Call } from '../edge/route.ts';
import { Serves } from '../edge/serves.ts';
import { CURSORS, READS } from '../edge/tokens.ts';
import { getAccount, listAccounts } from './accounts.routes.ts';

@Controller()
export class AccountsController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
  ) {}

  @Serves(listAccounts)
  async list(call: Call<typeof listAccounts>): Promise<Answer> {
    const { limit, fields, ...filters } = call.query;
    return list(this.cursors, listAccounts, call, (after) =>
      jsonPageOf(this.reads, accountsPage(call.caller, filters, { fields, limit, after }), limit),
    );
  }

  @Serves(getAccount)
  async get({ caller, id, query, requestId }: Call<typeof getAccount>): Promise<Answer> {
    const row = await this.reads.row<{ data: string }>(accountById(caller, id, query.fields));
    return row === undefined ? refusal(problems.notFound, requestId) : okText(row.data);
  }
}
