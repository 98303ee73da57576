import { pause } from '@causeway/concurrency';
import { admitInstallation } from '@causeway/data-keys';
import { openLog, openMetrics } from '@causeway/observability';
import { isOutage } from '@causeway/postgres';
import { SettingInvalid, heldSecrets, type HeldSecrets } from '@causeway/settings';
import { keepHeapSmall } from './heap.ts';
import { observed, type Observers } from './observed.ts';
import { openBus } from './open-bus.ts';
import { processHealth, serveHealth, type Running } from './running.ts';
import type { Service, ServiceConfig } from './service.ts';
import { processSettings, type ProcessSettings } from './settings.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** While the database is away, between two tries to begin. */
const migrateRetryMs = 1000;
/** The time that the stop of a start which failed has. */
const failedStopMs = 9000;

type Told<C> = Readonly<{ config: C; settings: ProcessSettings; secrets: HeldSecrets }>;

/** Ends a process that was told something wrong, with a line that names it. */
const told = <C extends ServiceConfig>({ name, healthPort, config }: Service<C>): Told<C> => {
  try {
    const { env } = process;
    return { config: config(env), settings: processSettings(env, healthPort), secrets: heldSecrets(name, env) };
  } catch (error) {
    if (!(error instanceof SettingInvalid)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    return process.exit(1);
  }
};

/** A database that is away is waited for: nothing is wrong with the process. */
const untilMigrated = async (migrate: () => Promise<void>, { log }: Observers, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      return await migrate();
    } catch (error) {
      if (!isOutage(error)) throw error;
      log.warn({ err: error }, 'the database is away: waiting for it');
    }
    await pause(migrateRetryMs, signal);
  }
};

const start = async <C extends ServiceConfig>(
  service: Service<C>,
  { config, settings, secrets }: Told<C>,
  running: Running,
  observers: Observers,
): Promise<void> => {
  const { log, metrics } = observers;
  const { signal } = running.stopping;
  const { asks = false, servesWithoutBus = false } = service;
  const health = processHealth(running, { servesWithoutBus, readyFile: settings.readyFile });
  running.health = await serveHealth(settings, running, health, metrics);
  log.info({ healthPort: running.health.port, pid: process.pid }, 'started');
  const { migrationDatabaseUrl: databaseUrl, keysMigrationDatabaseUrl: keysDatabaseUrl, events } = settings;
  const migrated = async (): Promise<void> => {
    await admitInstallation({ databaseUrl, keysDatabaseUrl, secrets, events });
    await service.migrate({ ...config, databaseUrl, keysDatabaseUrl });
  };
  await untilMigrated(migrated, observers, signal);
  if (signal.aborted) return;
  running.bus = observed(openBus({ ...settings.kafka, asks }, observers), observers);
  running.service = await service.open(config, { bus: running.bus, metrics, process: health });
  await running.service.listen();
  log.info('listening');
};

/** One after the other, whatever became of the ones before. */
const inTurn = async (steps: readonly (() => Promise<void> | undefined)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not everything closed cleanly');
};

/** The bus before its users: a message on its next try would otherwise hold up whoever waits for it. */
const stop = async (running: Running, { log }: Observers, withinMs: number): Promise<void> => {
  const endsAt = performance.now() + withinMs;
  const leftMs = (): number => endsAt - performance.now();
  running.stopping.abort();
  log.info('stopping');
  await inTurn([
    () => running.service?.retire(leftMs() / 2),
    () => running.bus?.close(leftMs() / 4),
    () => running.service?.close(),
    () => running.health?.close(),
  ]);
  log.info('stopped');
};

/**
 * Runs one service in this process until it is told to stop. What is wrong with its settings ends it at once; while the
 * database or the bus is away it waits for them, alive and not ready.
 */
export const runService = async <C extends ServiceConfig>(service: Service<C>): Promise<void> => {
  keepHeapSmall();
  const by = told(service);
  const observers = { log: openLog(service.name, by.config.logLevel), metrics: openMetrics(service.name) };
  observers.metrics.watchProcess();
  const stopping = new AbortController();
  const running: Running = { bus: undefined, service: undefined, health: undefined, stopping };
  stopOnSignal((withinMs) => stop(running, observers, withinMs));
  try {
    await start(service, by, running, observers);
  } catch (error) {
    // A start that a signal cut short has not failed.
    if (stopping.signal.aborted) return;
    if (error instanceof SettingInvalid) process.stderr.write(`${service.name}: ${error.message}\n`);
    else observers.log.fatal({ err: error }, 'could not start');
    await stop(running, observers, failedStopMs).catch(() => undefined);
    process.exit(1);
  }
};
