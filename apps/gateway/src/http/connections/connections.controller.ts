import {
  completeSetup,
  createConnection,
  deleteConnection,
  eraseConnection,
  getSealingKey,
  sealedTo,
  storeCredentials,
  syncConnection,
  type SealedCredentials,
} from '@causeway/contracts';
import { problems, Refused, type Cursors } from '@causeway/http';
import { connectionById, connectionsPage, type ConnectionRow } from '@causeway/read-models';
import { Body, Controller, Delete, Get, Inject, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ownerOf } from '../edge/caller.ts';
import type { Commands } from '../edge/commands.ts';
import { accepted, From, type Asked } from '../edge/from.ts';
import { list, rowPageOf } from '../edge/list.ts';
import { Answers, BodyLimit, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { ConnectionRefResponse } from './connection-ref.response.ts';
import { CreateConnectionBody } from './connection.body.ts';
import { ListConnectionsQuery } from './connection.query.ts';
import { connectionResponse, ConnectionResponse, setupRecord } from './connection.response.ts';
import { StoreCredentialsBody } from './credentials.body.ts';

@Controller('v1/connections')
export class ConnectionsController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Post()
  @Scope('connections:write')
  @BodyLimit(16 * 1024)
  @Answers([201, 200], ConnectionResponse, 'Creates a connection, or returns the one there is.')
  @Refuses(['conflict'])
  async create(
    @From() { caller, requestId }: Asked,
    @Body() body: CreateConnectionBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConnectionResponse> {
    const { entityId = null, institutionId = null, portalUrl = null } = body;
    const command = { ...ownerOf(caller), entityId: entityId?.toLowerCase() ?? null, institutionId, portalUrl };
    const { connection, created } = accepted(await this.send(createConnection, command, requestId));
    void reply.code(created ? 201 : 200);
    return connectionResponse(connection);
  }

  @Get()
  @Scope('connections:read')
  @Answers(200, pageOf(ConnectionResponse), 'Lists connections, newest first.')
  async list(@From() asked: Asked, @Query() query: ListConnectionsQuery): Promise<string> {
    const { limit, status, institutionId, entityId } = query;
    return list(this.cursors, { asked, query }, (after) => {
      const page = connectionsPage(asked.caller, { status, institutionId, entityId }, { limit, after });
      return rowPageOf<ConnectionRow>(this.reads, page, limit, connectionResponse);
    });
  }

  @Get(':connectionId')
  @Scope('connections:read')
  @Answers(200, ConnectionResponse, 'Reads a connection.')
  async get(@From() { caller }: Asked, @Param('connectionId') connectionId: string): Promise<ConnectionResponse> {
    return connectionResponse(await this.reads.found<ConnectionRow>(connectionById(caller, connectionId)));
  }

  @Put(':connectionId/setupCompletion')
  @Scope('connections:write')
  @Answers(200, ConnectionResponse, 'Says that the user was made at the bank: a login shows.')
  @Refuses(['conflict'])
  async complete(
    @From() { caller, requestId }: Asked,
    @Param('connectionId') connectionId: string,
  ): Promise<ConnectionResponse> {
    const command = { ...ownerOf(caller), connectionId };
    return setupRecord(accepted(await this.send(completeSetup, command, requestId)));
  }

  /** From here on nobody but their owner can read them. */
  @Put(':connectionId/credentials')
  @Scope('connections:write')
  @BodyLimit(16 * 1024)
  @Answers(200, ConnectionResponse, 'Stores what the user at the bank logs in with; it is never shown.')
  @Refuses(['conflict'])
  async store(
    @From() { caller, requestId }: Asked,
    @Param('connectionId') connectionId: string,
    @Body() credentials: StoreCredentialsBody,
  ): Promise<ConnectionResponse> {
    const { publicKey } = accepted(await this.send(getSealingKey, ownerOf(caller), requestId));
    const sealed = await sealedTo(publicKey, JSON.stringify({ connectionId, credentials } satisfies SealedCredentials));
    const command = { ...ownerOf(caller), connectionId, sealed };
    return setupRecord(accepted(await this.send(storeCredentials, command, requestId)));
  }

  @Put(':connectionId/sync')
  @Scope('connections:write')
  @Answers(202, ConnectionRefResponse, 'Begins a sync.')
  @Refuses(['conflict'])
  async sync(
    @From() { caller, requestId }: Asked,
    @Param('connectionId') connectionId: string,
  ): Promise<ConnectionRefResponse> {
    accepted(await this.send(syncConnection, { ...ownerOf(caller), connectionId }, requestId));
    return { connectionId, meta: { requestId } };
  }

  /**
   * Answered once nothing of the connection can be read: its owner hides it with its accounts and destroys the data
   * key, then the ledger hides its rows. If this process dies between the two, the ledger learns of it by event, or by the
   * request repeated: that is answered with 404, and also not before nothing can be read.
   */
  @Delete(':connectionId')
  @Scope('connections:write')
  @Answers(200, ConnectionRefResponse, 'Deletes a connection with its accounts and transactions.')
  async delete(
    @From() { caller, requestId }: Asked,
    @Param('connectionId') connectionId: string,
  ): Promise<ConnectionRefResponse> {
    const command = { ...ownerOf(caller), connectionId };
    const { before } = accepted(await this.send(deleteConnection, command, requestId));
    accepted(await this.send(eraseConnection, command, requestId));
    if (before) throw new Refused(problems.notFound);
    return { connectionId, meta: { requestId } };
  }
}
