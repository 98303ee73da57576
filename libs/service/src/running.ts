import type { Transport } from '@causeway/messaging';
import type { Health, Metrics } from '@causeway/observability';
import { databaseProbe, openPool } from '@causeway/postgres';
import { existsSync } from 'node:fs';
import { startHealthServer, type HealthServer } from './health-server.ts';
import type { OpenService } from './service.ts';
import type { ProcessSettings } from './settings.ts';

/** What of a service's process is there by now. */
export type Running = {
  bus: Transport | undefined;
  service: OpenService | undefined;
  health: HealthServer | undefined;
  readonly stopping: AbortController;
};

type Conditions = Readonly<{ servesWithoutBus: boolean; readyFile: string | undefined }>;

/** The process's own part of readiness: the bus, the wish to stop, and what whoever started it still has to do. */
export const processHealth = (running: Running, { servesWithoutBus, readyFile }: Conditions): Health => {
  let wasReady = false;
  let isAnnounced = readyFile === undefined;
  const isBusReady = (): boolean => running.bus?.ready() ?? false;
  const ready = (): boolean => {
    const now = isBusReady();
    wasReady ||= now;
    isAnnounced ||= readyFile !== undefined && existsSync(readyFile);
    return isAnnounced && !running.stopping.signal.aborted && (now || (servesWithoutBus && wasReady));
  };
  return { ready, detail: () => ({ bus: isBusReady(), stopping: running.stopping.signal.aborted }) };
};

/** A session that says nothing for so long is given up, so that the next question has another. As long as the probe waits. */
const answerWithinMs = 1500;

/** Told from the first moment on, also while the database or the bus is waited for. */
export const serveHealth = async (
  { databaseUrl: url, host, healthPort: port }: ProcessSettings,
  running: Running,
  process: Health,
  metrics: Metrics,
): Promise<HealthServer> => {
  const pool = openPool({ url, applicationName: 'health', connectionsMax: 1, answerWithinMs });
  const isDatabaseUp = databaseProbe(() => pool.query('SELECT 1'), answerWithinMs);
  const readiness = async () => {
    const database = await isDatabaseUp();
    const own = running.service?.health;
    const ready = database && process.ready() && (own?.ready() ?? false);
    return { ready, detail: { database, ...process.detail(), ...own?.detail() } };
  };
  const figures = async () => {
    if (running.service === undefined) throw new Error('the service is not open yet');
    return running.service.figures();
  };
  const probes = { readiness, metrics: () => metrics.text(figures), metricsType: metrics.contentType };
  const server = await startHealthServer({ host, port }, probes);
  const close = async (): Promise<void> => {
    await server.close();
    // Not waited for: of a pool that is just connecting in vain, the end never comes.
    pool.end().catch(() => undefined);
  };
  return { port: server.port, close };
};
