import type { CronAdapter } from '@treadle/api';
import { startAdapter } from '../adapter-harness.js';
import { killOptions, report } from '../suite/killed-process.js';
import { LEASE_MS, runOf } from './cron-under-test.js';

/* Started by durability-tests.ts: claims until it is killed. */

const options = killOptions();
const { adapter } = await startAdapter<CronAdapter>(options);
for (let tick = 1; ; tick++) {
  const run = runOf(options.round * 1e6 + tick * 1_000);
  await adapter.claim([run], LEASE_MS);
  report(`${tick}`);
  await adapter.finish([{ ...run, status: 'succeeded', durationMs: 1 }]);
}
