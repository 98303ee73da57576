import { createTransfer } from '@causeway/contracts';
import { invalidRequest, problems, type Cursors } from '@causeway/http';
import { transferById, transfersPage, type TransferRow } from '@causeway/read-models';
import { Controller, Inject } from '@nestjs/common';
import { answer, ok, refusal, type Answer } from '../edge/answer.ts';
import type { Commands } from '../edge/commands.ts';
import { list, rowPageOf } from '../edge/list.ts';
import type { Reads } from '../edge/reads.ts';
import type { Call } from '../edge/route.ts';
import { Serves } from '../edge/serves.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { faultOfKey, idempotencyHeader, transferIdOf } from './idempotency-key.ts';
import { singleTransferResponse, transferResponse } from './transfer.response.ts';
import { createTransferRoute, getTransfer, listTransfers } from './transfers.routes.ts';

@Controller()
export class TransfersController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Serves(createTransferRoute)
  async create({ caller, body, requestId, header }: Call<typeof createTransferRoute>): Promise<Answer> {
    const key = header(idempotencyHeader);
    const fault = faultOfKey(key);
    if (fault !== undefined) return refusal(invalidRequest([fault]), requestId);
    const command = {
      organization: caller.organization,
      environment: caller.environment,
      transferId: transferIdOf(caller, key),
      amount: { currency: body.amount.currency, value: body.amount.value },
      sourceAccountId: body.sourceAccountId.toLowerCase(),
      destinationAccountId: body.destination.accountId.toLowerCase(),
      clientReference: body.clientReference ?? null,
      executionDate: body.executionDate ?? null,
      memo: body.memo ?? null,
      skipPreflight: body.skipPreflight ?? false,
    };
    const reply = await this.send(createTransfer, command, requestId);
    if (!reply.ok) return refusal(reply.problem, requestId);
    const replayed = reply.data.replayed ? { 'Idempotent-Replayed': 'true' } : {};
    return answer(202, transferResponse(reply.data.transfer), replayed);
  }

  @Serves(listTransfers)
  async list(call: Call<typeof listTransfers>): Promise<Answer> {
    const { limit, status, accountId, createdAtGte, createdAtLt } = call.query;
    return list(this.cursors, listTransfers, call, (after) => {
      const filters = { status, accountId, createdAtGte, createdAtLt };
      const page = transfersPage(call.caller, filters, { limit, after });
      return rowPageOf<TransferRow>(this.reads, page, limit, transferResponse);
    });
  }

  @Serves(getTransfer)
  async get({ caller, id, query, requestId }: Call<typeof getTransfer>): Promise<Answer> {
    const row = await this.reads.row<TransferRow>(transferById(caller, id));
    return row === undefined ? refusal(problems.notFound, requestId) : ok(singleTransferResponse(row, query.fields));
  }
}
