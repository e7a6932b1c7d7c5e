import type { NewMessage, QueueAdapter } from '@treadle/api';
import { startAdapter } from '../adapter-harness.js';
import { killOptions, report } from '../suite/killed-process.js';
import { LEASE_MS, TRACE } from './queue-under-test.js';

/* Started by durability-tests.ts: works until it is killed. */

const options = killOptions();
const { adapter } = await startAdapter<QueueAdapter>(options);
let last = 0;

function next(): NewMessage {
  last += 1;
  const id = `r${options.round}-${String(last).padStart(8, '0')}`;
  return { id, topic: 't', kind: 'queue', data: `${last}`, traceparent: TRACE, hops: 0, enqueuedAt: Date.now() };
}

async function produce(): Promise<never> {
  for (;;) {
    await adapter.enqueueMany([[next()]], { maxWaiting: 1_000_000 });
    report('enqueued');
  }
}

async function consume(): Promise<never> {
  for (;;) {
    const [claim] = await adapter.claimMany([{ step: 'a', topic: 't', max: 1 }], LEASE_MS);
    if (!claim) await new Promise((resolve) => setImmediate(resolve));
    else if ((await adapter.settleMany([{ action: 'done', claim }]))[0]) report('settled');
  }
}

await Promise.all([produce(), produce(), produce(), consume()]);
