import type { Health } from '@causeway/observability';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { answer, send } from '../edge/answer.ts';
import { DEPENDENCIES } from '../edge/tokens.ts';

/** The services whose readiness this process answers for, by name. */
export type Dependencies = () => Readonly<Record<string, Health>>;

@Controller()
export class HealthController {
  constructor(@Inject(DEPENDENCIES) private readonly dependencies: Dependencies) {}

  @Get('healthz')
  @RouteConfig({ open: true })
  alive(@Res() reply: FastifyReply): void {
    send(reply, answer(200, { status: 'ok' }));
  }

  @Get('readyz')
  @RouteConfig({ open: true })
  ready(@Res() reply: FastifyReply): void {
    const services = Object.entries(this.dependencies());
    const ready = services.every(([, health]) => health.ready());
    const details = services.map(([name, health]) => [name, { ready: health.ready(), ...health.detail() }] as const);
    send(reply, answer(ready ? 200 : 503, { ready, services: Object.fromEntries(details) }));
  }
}
