import type { CronAdapter, CronCapabilities, CronClaimed, CronClaimRule, CronKey, CronRun } from '@treadle/api';
import type { VariantTests } from '../suite/adapter-suite.js';
import { AdapterUnderTest } from '../suite/adapter-under-test.js';

/** What a group of tests is registered with. */
export type CronTests = VariantTests<CronUnderTest, CronCapabilities>;

/** A trigger for tests that need no particular one. */
export const KEY: CronKey = { step: 'report', trigger: '* * * * * UTC' };

/** Triggers that stores have mixed up, some of them only as a pair. */
export const KEYS: readonly CronKey[] = [
  KEY, { step: 'report', trigger: '@DAILY UTC' }, { step: 'report ', trigger: '* * * * * UTC' }, { step: 'a', trigger: 'b:c' }, { step: 'a:b', trigger: 'c' },
  { step: '__proto__', trigger: 'constructor' }, { step: "'; DROP TABLE runs; --", trigger: '%' }, { step: 'é😀', trigger: '_' }, { step: 'Report', trigger: '* * * * * UTC' },
];

export const LEASE_MS = 15_000;

/** Runs of a trigger must not overlap. */
export const NO_OVERLAP: CronClaimRule = { unlessRunning: true };

let ids = 0;

/** A run that nobody has claimed yet. */
export function runOf(scheduledAt: number, over: Partial<CronRun> = {}): CronRun {
  ids += 1;
  return {
    ...KEY, id: `run-${process.pid}-${ids}`, scheduledAt, firedAt: scheduledAt + 5, attempt: 1, manual: false, missed: false, status: 'running',
    traceId: ids.toString(16).padStart(32, '0'), ...over,
  };
}

/** Two started adapters over one store, and what tests do to them. */
export class CronUnderTest extends AdapterUnderTest<CronAdapter, CronCapabilities> {
  protected override readonly users = 2;

  /** Another one on the same store. */
  get second(): CronAdapter {
    return this.user(1);
  }

  /** Whether the one run was written. */
  async claim(run: CronRun, adapter = this.adapter): Promise<boolean> {
    return await this.outcome(run, undefined, adapter) === 'claimed';
  }

  /** What became of the claim of the one run. */
  async outcome(run: CronRun, rule?: CronClaimRule, adapter = this.adapter): Promise<CronClaimed> {
    const [outcome, ...more] = await adapter.claim([run], LEASE_MS, rule);
    if (outcome === undefined || more.length > 0) throw new Error('claim must answer for each run');
    return outcome;
  }

  async statuses(): Promise<string[]> {
    return (await this.adapter.runs(KEY, 200)).map(({ scheduledAt, status, attempt }) => `${scheduledAt} ${status} ${attempt}`);
  }
}
