import { createTransfer } from '@causeway/contracts';
import { invalidRequest, Refused, type Cursors } from '@causeway/http';
import { transferById, transfersPage, type TransferRow } from '@causeway/read-models';
import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ownerOf } from '../edge/caller.ts';
import type { Commands } from '../edge/commands.ts';
import { accepted, From, type Asked } from '../edge/from.ts';
import { list, rowPageOf } from '../edge/list.ts';
import { Answers, BodyLimit, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { faultOfKey, idempotencyHeader, transferIdOf } from './idempotency-key.ts';
import { CreateTransferBody } from './transfer.body.ts';
import { GetTransferQuery, ListTransfersQuery } from './transfer.query.ts';
import {
  singleTransferResponse,
  singleTransferSchema,
  transferResponse,
  TransferResponse,
} from './transfer.response.ts';

@Controller('v1/transfers')
export class TransfersController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Post()
  @Scope('transfers:write')
  @BodyLimit(32 * 1024)
  @Answers(202, TransferResponse, 'Orders a transfer.')
  @Refuses(['preflight_failed', 'conflict'])
  async create(
    @From() { caller, requestId }: Asked,
    @Headers(idempotencyHeader) key: string | undefined,
    @Body() body: CreateTransferBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransferResponse> {
    const fault = faultOfKey(key);
    if (fault !== undefined) throw new Refused(invalidRequest([fault]));
    const command = {
      ...ownerOf(caller),
      transferId: transferIdOf(caller, key),
      amount: { currency: body.amount.currency, value: body.amount.value },
      sourceAccountId: body.sourceAccountId.toLowerCase(),
      destination: { type: 'account' as const, accountId: body.destination.accountId.toLowerCase() },
      transferType: 'internal' as const,
      clientReference: body.clientReference ?? null,
      executionDate: body.executionDate ?? null,
      memo: body.memo ?? null,
      skipPreflight: body.skipPreflight ?? false,
    };
    const { transfer, replayed } = accepted(await this.send(createTransfer, command, requestId));
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return transferResponse(transfer);
  }

  @Get()
  @Scope('transfers:read')
  @Answers(200, pageOf(TransferResponse), 'Lists transfers, newest first.')
  async list(@From() asked: Asked, @Query() query: ListTransfersQuery): Promise<string> {
    const { limit, status, accountId, createdAtGte, createdAtLt } = query;
    return list(this.cursors, { asked, query }, (after) => {
      const filters = { status, accountId, createdAtGte, createdAtLt };
      const page = transfersPage(asked.caller, filters, { limit, after });
      return rowPageOf<TransferRow>(this.reads, page, limit, transferResponse);
    });
  }

  @Get(':transferId')
  @Scope('transfers:read')
  @Answers(200, singleTransferSchema, 'Reads a transfer.')
  async get(
    @From() { caller }: Asked,
    @Param('transferId') transferId: string,
    @Query() { fields }: GetTransferQuery,
  ): Promise<object> {
    return singleTransferResponse(await this.reads.found<TransferRow>(transferById(caller, transferId)), fields);
  }
}
