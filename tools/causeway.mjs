#!/usr/bin/env node
/** `npx causeway …` in a checkout. */
import { buildIfStale, run } from './fresh-build.mjs';

buildIfStale('cli');
await run('cli');
