import { createEntity, deleteEntity, eraseConnection, updateEntity } from '@causeway/contracts';
import { problems, Refused, type Cursors } from '@causeway/http';
import { entitiesPage, entityById, type EntityRow } from '@causeway/read-models';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ownerOf } from '../edge/caller.ts';
import type { Commands } from '../edge/commands.ts';
import { accepted, From, type Asked } from '../edge/from.ts';
import { list, rowPageOf } from '../edge/list.ts';
import { Answers, BodyLimit, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { CreateEntityBody, UpdateEntityBody } from './entity.body.ts';
import { ListEntitiesQuery } from './entity.query.ts';
import { entityResponse, EntityResponse } from './entity.response.ts';

@Controller('v1/entities')
export class EntitiesController {
  constructor(
    @Inject(READS) private readonly reads: Reads,
    @Inject(CURSORS) private readonly cursors: Cursors,
    @Inject(COMMANDS) private readonly send: Commands,
  ) {}

  @Post()
  @Scope('entities:write')
  @BodyLimit(128 * 1024)
  @Answers(201, EntityResponse, 'Registers an entity.')
  @Refuses(['conflict'])
  async create(@From() { caller, requestId }: Asked, @Body() body: CreateEntityBody): Promise<EntityResponse> {
    const command = {
      organization: caller.organization,
      externalEntityId: body.externalEntityId,
      name: body.name ?? null,
      contactEmails: body.contactEmails ?? [],
      metadata: body.metadata ?? null,
    };
    return entityResponse(accepted(await this.send(createEntity, command, requestId)));
  }

  @Get()
  @Scope('entities:read')
  @Answers(200, pageOf(EntityResponse), 'Lists entities, newest first.')
  async list(@From() asked: Asked, @Query() query: ListEntitiesQuery): Promise<string> {
    const { limit, externalEntityId } = query;
    return list(this.cursors, { asked, query }, (after) => {
      const page = entitiesPage(asked.caller.organization, externalEntityId, { limit, after });
      return rowPageOf<EntityRow>(this.reads, page, limit, entityResponse);
    });
  }

  @Get(':entityId')
  @Scope('entities:read')
  @Answers(200, EntityResponse, 'Reads an entity.')
  async get(@From() { caller }: Asked, @Param('entityId') entityId: string): Promise<EntityResponse> {
    return entityResponse(await this.reads.found<EntityRow>(entityById(caller.organization, entityId)));
  }

  @Patch(':entityId')
  @Scope('entities:write')
  @BodyLimit(128 * 1024)
  @Answers(200, EntityResponse, 'Changes an entity; null clears, what is left out stays.')
  async update(
    @From() { caller, requestId }: Asked,
    @Param('entityId') entityId: string,
    @Body() body: UpdateEntityBody,
  ): Promise<EntityResponse> {
    const { organization } = caller;
    return entityResponse(accepted(await this.send(updateEntity, { organization, entityId, ...body }, requestId)));
  }

  /** Answered as the deletion of each of its connections is: once nothing of it can be read. */
  @Delete(':entityId')
  @Scope('entities:write')
  @Answers(204, null, 'Deletes an entity with its connections and all that is known of them.')
  @Refuses(['conflict'])
  async delete(@From() { caller, requestId }: Asked, @Param('entityId') entityId: string): Promise<void> {
    const owner = ownerOf(caller);
    const { connectionIds, before } = accepted(await this.send(deleteEntity, { ...owner, entityId }, requestId));
    const erase = (connectionId: string) => this.send(eraseConnection, { ...owner, connectionId }, requestId);
    (await Promise.all(connectionIds.map(erase))).forEach(accepted);
    if (before) throw new Refused(problems.notFound);
  }
}
