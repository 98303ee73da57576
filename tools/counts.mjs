/** Prints what a test run and the steps around it came to, as the last line of a check; fails when anything failed. */
import { existsSync, readFileSync } from 'node:fs';

const [file, steps] = process.argv.slice(2);
const run = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
const failedTests = run === undefined ? 1 : run.numFailedTests + run.numRuntimeErrorTestSuites;
// The step that ran the tests has failed with them: count its tests, not the step as well.
const failed = failedTests + Math.max(0, Number(steps) - (failedTests > 0 ? 1 : 0));
const skipped = run?.numPendingTests ?? 0;
console.log(`${run?.numPassedTests ?? 0} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
