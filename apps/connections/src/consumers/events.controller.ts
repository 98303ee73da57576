import {
  organizationCreated,
  statementBooked,
  type OrganizationCreatedV1,
  type StatementBookedV1,
} from '@causeway/contracts';
import type { Message } from '@causeway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { contextOf } from '../commands/aggregates.ts';
import { COMMANDS } from '../commands/commands.controller.ts';
import type { Commands } from '../commands/commands.ts';
import { createDefaultEntity } from '../commands/create-entity.ts';
import { completeRun, type RunEnd } from './complete-run.ts';

export const RUN_END = Symbol('RunEnd');

@Controller()
export class EventsController {
  constructor(
    @Inject(COMMANDS) private readonly commands: Commands,
    @Inject(RUN_END) private readonly runEnd: RunEnd,
  ) {}

  @EventPattern<string>(organizationCreated.type)
  organizationCreated({ id, correlationId, data }: Message<OrganizationCreatedV1>): Promise<void> {
    return createDefaultEntity(this.commands, data, contextOf(data, { correlationId, causationId: id }));
  }

  @EventPattern<string>(statementBooked.type)
  statementBooked({ id, correlationId, data }: Message<StatementBookedV1>): Promise<void> {
    return completeRun(this.runEnd, data, contextOf(data, { correlationId, causationId: id }));
  }
}
