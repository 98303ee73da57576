import type { Health } from '@causeway/observability';
import { databaseProbe } from '@causeway/postgres';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { answer, send } from '../edge/answer.ts';
import type { Reads } from '../edge/reads.ts';
import { DEPENDENCIES, READS } from '../edge/tokens.ts';

/** The services whose readiness this process answers for, by name. */
export type Dependencies = () => Healths | Promise<Healths>;
type Healths = Readonly<Record<string, Health>>;

@Controller()
export class HealthController {
  private readonly isDatabaseUp: () => Promise<boolean>;

  constructor(
    @Inject(DEPENDENCIES) private readonly dependencies: Dependencies,
    @Inject(READS) reads: Reads,
  ) {
    this.isDatabaseUp = databaseProbe(() => reads.row({ text: 'SELECT 1', values: [] }));
  }

  @Get('healthz')
  @RouteConfig({ open: true })
  alive(@Res() reply: FastifyReply): void {
    send(reply, answer(200, { status: 'ok' }));
  }

  /** Anyone may ask: what is amiss is told on the port of the process's own health, and in its log. */
  @Get('readyz')
  @RouteConfig({ open: true })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const database = await this.isDatabaseUp();
    const services = Object.values(await this.dependencies());
    const ready = database && services.every((health) => health.ready());
    const degraded = services.some((health) => (health.detail() as { degraded?: boolean }).degraded === true);
    send(reply, answer(ready ? 200 : 503, { ready, degraded }));
  }
}
