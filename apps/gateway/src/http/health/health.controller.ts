import type { Health } from '@causeway/observability';
import { databaseProbe } from '@causeway/postgres';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import { IsBoolean, IsString } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { Answers, NotLimited } from '../edge/operation.ts';
import type { Reads } from '../edge/reads.ts';
import { DEPENDENCIES, READS } from '../edge/tokens.ts';

/** The services whose readiness this process answers for, by name. */
export type Dependencies = () => Healths | Promise<Healths>;
type Healths = Readonly<Record<string, Health>>;

class AliveResponse {
  @IsString() status!: 'ok';
}

class ReadyResponse {
  @IsBoolean() ready!: boolean;

  /** Some of what was recorded waits to be mended. */
  @IsBoolean() degraded!: boolean;
}

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
  @NotLimited(true)
  @Answers(200, AliveResponse, 'Says that the process is alive.')
  alive(): AliveResponse {
    return { status: 'ok' };
  }

  /** Anyone may ask: what is amiss is told on the port of the process's own health, and in its log. */
  @Get('readyz')
  @NotLimited(true)
  @Answers([200, 503], ReadyResponse, 'Says whether requests can be served.')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadyResponse> {
    const database = await this.isDatabaseUp();
    const services = Object.values(await this.dependencies());
    const ready = database && services.every((health) => health.ready());
    const degraded = services.some((health) => (health.detail() as { degraded?: boolean }).degraded === true);
    void reply.code(ready ? 200 : 503);
    return { ready, degraded };
  }
}
