import { createEntity } from '@causeway/contracts';
import type { Cursors } from '@causeway/http';
import { entitiesPage, entityById, type EntityRow } from '@causeway/read-models';
import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import type { Commands } from '../edge/commands.ts';
import { accepted, From, type Asked } from '../edge/from.ts';
import { list, rowPageOf } from '../edge/list.ts';
import { Answers, BodyLimit, pageOf, Refuses, Scope } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { COMMANDS, CURSORS, READS } from '../edge/tokens.ts';
import { CreateEntityBody, distinctEmails } from './entity.body.ts';
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
      contactEmails: distinctEmails(body.contactEmails ?? []),
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
}
