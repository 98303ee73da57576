import { createEntity } from '@causeway/contracts';
import { problems, type Cursors } from '@causeway/http';
import { entitiesPage, entityById, type EntityRow } from '@causeway/read-models';
import { Controller, Inject } from '@nestjs/common';
import { answer, ok, refusal, type Answer } from '../edge/answer.ts';
import type { Commands } from '../edge/commands.ts';
import { list, rowPageOf } from '../edge/list.ts';
import type { Reads } from '../edge/reads.ts';
import type { Call } from '../edge/route.ts';
import { Serves } from '../edge/serves.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { createEntityRoute, getEntity, listEntities } from './entities.routes.ts';
import { distinctEmails } from './entity.body.ts';
import { entityResponse } from './entity.response.ts';

@Controller()
export class EntitiesController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Serves(createEntityRoute)
  async create({ caller, body, requestId }: Call<typeof createEntityRoute>): Promise<Answer> {
    const command = {
      organization: caller.organization,
      externalEntityId: body.externalEntityId,
      name: body.name ?? null,
      contactEmails: distinctEmails(body.contactEmails ?? []),
      metadata: body.metadata ?? null,
    };
    const reply = await this.send(createEntity, command, requestId);
    return reply.ok ? answer(201, entityResponse(reply.data)) : refusal(reply.problem, requestId);
  }

  @Serves(listEntities)
  async list(call: Call<typeof listEntities>): Promise<Answer> {
    const { limit, externalEntityId } = call.query;
    return list(this.cursors, listEntities, call, (after) => {
      const page = entitiesPage(call.caller.organization, externalEntityId, { limit, after });
      return rowPageOf<EntityRow>(this.reads, page, limit, entityResponse);
    });
  }

  @Serves(getEntity)
  async get({ caller, id, requestId }: Call<typeof getEntity>): Promise<Answer> {
    const row = await this.reads.row<EntityRow>(entityById(caller.organization, id));
    return row === undefined ? refusal(problems.notFound, requestId) : ok(entityResponse(row));
  }
}
