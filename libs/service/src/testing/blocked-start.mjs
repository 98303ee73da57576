import { endOnSignal } from '../../../../tools/fresh-build.mjs';
import { stopOnSignal } from '../stop-on-signal.ts';

endOnSignal();
process.stdout.write('blocked\n');
// As a program that is being loaded: no signal is dispatched meanwhile.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
stopOnSignal(async () => void process.stdout.write('stopped\n'));
setInterval(() => undefined, 1000);
