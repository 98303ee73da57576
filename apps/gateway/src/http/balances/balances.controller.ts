import type { Cursors } from '@causeway/http';
import { balancesPage } from '@causeway/read-models';
import { Controller, Inject } from '@nestjs/common';
import type { Answer } from '../edge/answer.ts';
import { jsonPageOf, list } from '../edge/list.ts';
import type { Reads } from '../edge/reads.ts';
import type { Call } from '../edge/route.ts';
import { Serves } from '../edge/serves.ts';
import { CURSORS, READS } from '../edge/tokens.ts';
import { listBalances } from './balances.routes.ts';

@Controller()
export class BalancesController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
  ) {}

  @Serves(listBalances)
  async list(call: Call<typeof listBalances>): Promise<Answer> {
    const { limit, ...filters } = call.query;
    return list(this.cursors, listBalances, call, (after) =>
      jsonPageOf(this.reads, balancesPage(call.caller, filters, { limit, after }), limit),
    );
  }
}
