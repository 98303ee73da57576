import {
  cancelTransfer,
  createTransfer,
  getPayeeKey,
  retryTransfer,
  type AcceptedTransferV1,
  type ChangeTransferV1,
  type CommandContract,
} from '@causeway/contracts';
import type { Cursors } from '@causeway/http';
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
import { goodKey, idempotencyHeader, requestIdOf, transferIdOf } from './idempotency-key.ts';
import { destinationFor, rememberedKey } from './payee.ts';
import { CreateTransferBody } from './transfer.body.ts';
import { GetTransferQuery, ListTransfersQuery } from './transfer.query.ts';
import { singleTransferResponse, singleTransferSchema } from './single-transfer.response.ts';
import { transferResponse, TransferResponse } from './transfer.response.ts';

const replayable = ({ transfer, replayed }: AcceptedTransferV1, reply: FastifyReply): TransferResponse => {
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return transferResponse(transfer);
};

@Controller('v1/transfers')
export class TransfersController {
  private readonly payeeKey = rememberedKey();

  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Post()
  @Scope('transfers:write')
  @BodyLimit(64 * 1024)
  @Answers(202, TransferResponse, 'Orders a transfer between own accounts, or a payment to others.')
  @Refuses(['preflight_failed', 'conflict'])
  async create(
    @From() { caller, requestId }: Asked,
    @Headers(idempotencyHeader) key: string | undefined,
    @Body() body: CreateTransferBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransferResponse> {
    const owner = ownerOf(caller);
    const transferId = transferIdOf(owner, goodKey(key));
    const publicKey = () =>
      this.payeeKey(async () => accepted(await this.send(getPayeeKey, owner, requestId)).publicKey);
    const command = {
      ...{ ...owner, transferId },
      amount: { currency: body.amount.currency, value: body.amount.value },
      sourceAccountId: body.sourceAccountId.toLowerCase(),
      destination: await destinationFor(transferId, body, publicKey),
      transferType: body.transferType ?? 'internal',
      clientReference: body.clientReference ?? null,
      executionDate: body.executionDate ?? null,
      memo: body.memo ?? null,
      skipPreflight: body.skipPreflight ?? false,
    };
    return replayable(accepted(await this.send(createTransfer, command, requestId)), reply);
  }

  @Get()
  @Scope('transfers:read')
  @Answers(200, pageOf(TransferResponse), 'Lists transfers, newest first.')
  async list(@From() asked: Asked, @Query() query: ListTransfersQuery): Promise<string> {
    const { limit, status, accountId, createdAtGte, createdAtLt, clientReference, idempotencyKey } = query;
    return list(this.cursors, { asked, query }, (after) => {
      const id = idempotencyKey && transferIdOf(asked.caller, idempotencyKey);
      const filters = { status, accountId, createdAtGte, createdAtLt, clientReference, id };
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

  @Post(':transferId/retry')
  @Scope('transfers:write')
  @Answers(202, TransferResponse, 'Tries a transfer that failed once more, under a reference of its own at the bank.')
  @Refuses(['conflict'])
  async retry(
    @From() asked: Asked,
    @Param('transferId') transferId: string,
    @Headers(idempotencyHeader) key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransferResponse> {
    return replayable(await this.change(retryTransfer, asked, transferId, key), reply);
  }

  @Post(':transferId/cancel')
  @Scope('transfers:write')
  @Answers(202, TransferResponse, 'Cancels a transfer that was not sent to the bank yet.')
  @Refuses(['conflict'])
  async cancel(
    @From() asked: Asked,
    @Param('transferId') transferId: string,
    @Headers(idempotencyHeader) key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransferResponse> {
    return replayable(await this.change(cancelTransfer, asked, transferId, key), reply);
  }

  private async change(
    contract: CommandContract<ChangeTransferV1, AcceptedTransferV1>,
    { caller, requestId, path }: Asked,
    transferId: string,
    key: string | undefined,
  ): Promise<AcceptedTransferV1> {
    const owner = ownerOf(caller);
    const sameRequest = requestIdOf(owner, [path, transferId], goodKey(key));
    return accepted(await this.send(contract, { ...owner, transferId, requestId: sameRequest }, requestId));
  }
}
