import type { QueueAdapter, StateAdapter, StreamAdapter } from '@treadle/api';
import { startAdapter } from '../adapter-harness.js';
import { killOptions, report } from '../suite/killed-process.js';
import { counter, item } from './commit-tests.js';
import { LEASE_MS, TRACE } from './queue-under-test.js';

/* Started by commit-kill-tests.ts: counts what it acknowledges in three places, until it is killed. */

const options = killOptions();
const { adapter, beside } = await startAdapter<QueueAdapter>(options);
const [state, streams] = [beside.get('state') as StateAdapter, beside.get('stream') as StreamAdapter];
let last = 0;

/** The same number in every place; of those that try at a time all but one come too late. */
async function work(): Promise<never> {
  for (;;) {
    const [claim] = await adapter.claimMany([{ step: 'a', topic: 't', max: 1 }], LEASE_MS);
    if (!claim) {
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    for (let done = false; !done;) {
      const [count, shown] = [await state.get('g', 'counter'), await streams.get({ stream: 'orders', groupId: 'all' }, 'i')];
      const next = Number(count?.value ?? 0) + 1;
      last += 1;
      const message = { id: `r${options.round}-${String(last).padStart(8, '0')}`, topic: 'next', kind: 'queue', data: `${next}`, traceparent: TRACE, hops: 0, enqueuedAt: Date.now() } as const;
      const writes = [counter(next, { ifRevision: count?.revision ?? 0 }), item(next, { ifRevision: shown?.revision ?? 0 })];
      const [outcome] = await adapter.commitMany?.([{ settle: { action: 'done', claim }, enqueue: [message], writes }], { maxWaiting: 1_000_000 }) ?? [];
      done = outcome?.ok === true;
    }
    report('committed');
  }
}

await Promise.all([work(), work()]);
