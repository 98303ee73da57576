import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Measured, Measurement, MeasureOptions } from './measurement.ts';
import { onOwnSystem, seconds } from './synced-system.ts';

const asked = ['keys', 'list', '--json'];
const built = join(process.cwd(), 'dist', 'apps', 'cli', 'main.js');

const runOnce = async (dataDir: string, command: string, args: readonly string[]): Promise<void> => {
  const env = { ...process.env, CAUSEWAY_DATA_DIR: dataDir };
  const child = spawn(command, [...args, ...asked], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
};

const timed = ({ pairs }: MeasureOptions, command: string, args: readonly string[]): Promise<Measured> =>
  onOwnSystem({ rows: 1 }, async ({ dataDir }) => {
    await runOnce(dataDir, command, args);
    const ours: number[] = [];
    for (let n = 0; n < pairs; n++) ours.push(await seconds(() => runOnce(dataDir, command, args)));
    return { ours, baseline: null, rows: 2 };
  });

export const npxCommandBench: Measurement = {
  id: 'P20a',
  name: 'npx causeway keys list --json, on a running system',
  unit: 's',
  target: 1.5,
  floor: 3,
  lessIsBetter: true,
  run: (options) => timed(options, 'npx', ['causeway']),
};

export const builtCommandBench: Measurement = {
  id: 'P20b',
  name: 'the same, built',
  unit: 's',
  target: 0.4,
  floor: 1,
  lessIsBetter: true,
  run: (options) => timed(options, process.execPath, [built]),
};
