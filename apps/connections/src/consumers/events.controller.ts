import {
  keyUsability,
  organizationCreated,
  statementBooked,
  statementProgress,
  statementSetAside,
  type KeyUsabilityV1,
  type OrganizationCreatedV1,
  type StatementBookedV1,
  type StatementProgressV1,
  type StatementSetAsideV1,
} from '@causeway/contracts';
import { setAsideOf, type Message } from '@causeway/messaging';
import { contextOf, OwnerGuard, RunGuard } from '@causeway/service';
import { Controller, Inject, UseGuards } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { noteUsability } from '../reactions/key-usability.ts';
import { COMMANDS } from '../commands/commands.controller.ts';
import type { Commands } from '../commands/commands.ts';
import { createDefaultEntity } from '../commands/create-entity.ts';
import { completeRun, giveUp, noteProgress, type RunEnd } from './complete-run.ts';

export const RUN_END = Symbol('RunEnd');

@Controller()
export class EventsController {
  constructor(
    @Inject(COMMANDS) private readonly commands: Commands,
    @Inject(RUN_END) private readonly runEnd: RunEnd,
  ) {}

  @EventPattern<string>(organizationCreated.type)
  organizationCreated(message: Message<OrganizationCreatedV1>): Promise<void> {
    return createDefaultEntity(this.commands, message.data, contextOf(message));
  }

  @UseGuards(OwnerGuard)
  @EventPattern<string>(statementBooked.type)
  statementBooked(message: Message<StatementBookedV1>): Promise<void> {
    return completeRun(this.runEnd, message.data, contextOf(message));
  }

  @UseGuards(RunGuard, OwnerGuard)
  @EventPattern<string>(setAsideOf(statementBooked.type))
  bookedSetAside(message: Message<StatementBookedV1>): Promise<void> {
    return giveUp(this.runEnd, message.data, contextOf(message));
  }

  @UseGuards(OwnerGuard)
  @EventPattern<string>(statementProgress.type)
  statementProgress({ data }: Message<StatementProgressV1>): Promise<void> {
    return noteProgress(this.runEnd, data);
  }

  @UseGuards(RunGuard, OwnerGuard)
  @EventPattern<string[]>([statementSetAside.type, setAsideOf(statementSetAside.type)])
  statementSetAside(message: Message<StatementSetAsideV1>): Promise<void> {
    return giveUp(this.runEnd, message.data, contextOf(message));
  }

  @EventPattern<string>(keyUsability.type)
  keyUsability({ data }: Message<KeyUsabilityV1>): Promise<void> {
    return noteUsability(this.runEnd.pool, data);
  }
}
