import { createConnection, deleteConnection, eraseConnection, syncConnection } from '@causeway/contracts';
import { problems, type Cursors } from '@causeway/http';
import { connectionById, connectionsPage, type ConnectionRow } from '@causeway/read-models';
import { Controller, Inject } from '@nestjs/common';
import { answer, ok, refusal, type Answer } from '../edge/answer.ts';
import type { Commands } from '../edge/commands.ts';
import { list, rowPageOf } from '../edge/list.ts';
import type { Reads } from '../edge/reads.ts';
import type { Call, Caller } from '../edge/route.ts';
import { Serves } from '../edge/serves.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { connectionResponse } from './connection.response.ts';
import {
  createConnectionRoute,
  deleteConnectionRoute,
  getConnection,
  listConnections,
  syncConnectionRoute,
} from './connections.routes.ts';

const scopeOf = ({ organization, environment }: Caller) => ({ organization, environment });

@Controller()
export class ConnectionsController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Serves(createConnectionRoute)
  async create({ caller, body, requestId }: Call<typeof createConnectionRoute>): Promise<Answer> {
    const { entityId = null, institutionId = null, portalUrl = null } = body;
    const command = { ...scopeOf(caller), entityId: entityId?.toLowerCase() ?? null, institutionId, portalUrl };
    const reply = await this.send(createConnection, command, requestId);
    if (!reply.ok) return refusal(reply.problem, requestId);
    return answer(reply.data.created ? 201 : 200, connectionResponse(reply.data.connection));
  }

  @Serves(listConnections)
  async list(call: Call<typeof listConnections>): Promise<Answer> {
    const { limit, status, institutionId, entityId } = call.query;
    return list(this.cursors, listConnections, call, (after) => {
      const page = connectionsPage(call.caller, { status, institutionId, entityId }, { limit, after });
      return rowPageOf<ConnectionRow>(this.reads, page, limit, connectionResponse);
    });
  }

  @Serves(getConnection)
  async get({ caller, id, requestId }: Call<typeof getConnection>): Promise<Answer> {
    const row = await this.reads.row<ConnectionRow>(connectionById(caller, id));
    return row === undefined ? refusal(problems.notFound, requestId) : ok(connectionResponse(row));
  }

  @Serves(syncConnectionRoute)
  async sync({ caller, id, requestId }: Call<typeof syncConnectionRoute>): Promise<Answer> {
    const reply = await this.send(syncConnection, { ...scopeOf(caller), connectionId: id }, requestId);
    if (!reply.ok) return refusal(reply.problem, requestId);
    return answer(202, { connectionId: reply.data.connectionId, meta: { requestId } });
  }

  /**
   * Answered once nothing of the connection can be read: its owner hides it with its accounts and destroys the data
   * key, then the ledger hides its rows. If this process dies between the two, the ledger learns of it by event, or by the
   * request repeated: that is answered with 404, and also not before nothing can be read.
   */
  @Serves(deleteConnectionRoute)
  async delete({ caller, id, requestId }: Call<typeof deleteConnectionRoute>): Promise<Answer> {
    const command = { ...scopeOf(caller), connectionId: id };
    const deleted = await this.send(deleteConnection, command, requestId);
    if (!deleted.ok) return refusal(deleted.problem, requestId);
    const erased = await this.send(eraseConnection, command, requestId);
    if (!erased.ok) return refusal(erased.problem, requestId);
    return deleted.data.before ? refusal(problems.notFound, requestId) : ok({ connectionId: id, meta: { requestId } });
  }
}
