import { programOf } from '@causeway/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

test.each(['SIGTERM', 'SIGINT'] as const)('a %s that comes while the program is loaded stops it', async (signal) => {
  const program = await programOf(join(import.meta.dirname, 'testing', 'blocked-start.mjs'));
  const child = spawn(process.execPath, [program.path]);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  child.kill(signal);
  const end = await Promise.race([ended, sleep(5000, 'still there')]);
  child.kill('SIGKILL');
  program.remove();
  expect([end, said]).toEqual([[0, null], 'blocked\nstopped\n']);
});
