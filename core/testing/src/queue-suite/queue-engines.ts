import type { NewMessage, QueueAdapter, QueueDelivery, StoredSubscription } from '@treadle/api';
import type { HarnessOptions } from '../adapter-harness.js';
import { eventually } from '../eventually.js';
import { EngineProcess } from '../sharing/engine-process.js';
import { type QueueTests, subscriptionOf, TRACE } from './queue-under-test.js';

/** Of claims that no test outlasts; milliseconds. */
export const LONG_MS = 60_000;
/** Of claims that a test sees ending; milliseconds. */
export const SHORT_MS = 1_500;
/** How far the clock of one engine may be ahead of another's. */
export const AHEAD = { clockAheadMs: 600_000 };
/** The subscription of most tests. */
export const KEY = { step: 'a', topic: 't' };

/** One of several engines on the store. */
export type QueueEngine = EngineProcess<QueueAdapter>;

/** Engines of one test; all of them have ended when it has. */
export interface Engines {
  start(options?: { readonly clockAheadMs?: number }): Promise<QueueEngine>;
  /** Asks until it holds; fails when it takes longer than a lease and a takeover, twice. */
  eventually<T>(ask: () => Promise<T>, holds: (answer: T) => boolean, what: string): Promise<T>;
}

/** Registers a test with several engines, each in a process of its own, on the machine's time. */
export type SharingTest = (name: string, body: (engines: Engines) => Promise<void>) => void;

/** How a variant's tests with several engines are registered. */
export function sharingTest({ suite, withStore, declared }: QueueTests): SharingTest {
  const patience = 2 * (SHORT_MS + declared.takeOverMs);
  return (name, body) => suite.test(`of several engines ${name}`, () => withStore((options) => runWith(options, patience, body)));
}

async function runWith(options: HarnessOptions, patience: number, body: (engines: Engines) => Promise<void>): Promise<void> {
  const started: QueueEngine[] = [];
  let number = 0;
  const start = async ({ clockAheadMs = 0 }: { readonly clockAheadMs?: number } = {}): Promise<QueueEngine> => {
    // Counted before anything is awaited: engines that start at once have folders of their own.
    number += 1;
    const engine = await EngineProcess.start<QueueAdapter>(`engine-${number}`, options, { listens: ['onDue', 'onSubscriptions'], clockAheadMs });
    started.push(engine);
    return engine;
  };
  try {
    await body({ start, eventually: (ask, holds, what) => eventually(what, ask, holds, patience) });
  } finally {
    await Promise.all(started.map((engine) => engine.stop()));
  }
}

/** Declares a subscription of the Step. */
export async function put({ adapter }: QueueEngine, step: string, more: Partial<StoredSubscription> = {}, topic = 't'): Promise<void> {
  const { paused: _paused, ...subscription } = subscriptionOf(step, topic, more);
  await adapter.changeSubscriptions([{ action: 'put', subscription }]);
}

/** Does something with a short lease before that ends; again with a longer one where the machine has taken too long, of which nothing follows. */
export async function withinLease<T>(act: (leaseMs: number) => Promise<T>): Promise<T> {
  for (let leaseMs = SHORT_MS; ; leaseMs *= 2) {
    const began = performance.now();
    const outcome = await act(leaseMs);
    if (performance.now() - began < leaseMs) return outcome;
  }
}

/** Takes the engine's vote for Step `a` back. */
export async function retire({ adapter }: QueueEngine, afterMs: number, topic = 't'): Promise<void> {
  await adapter.changeSubscriptions([{ action: 'retire', key: { step: 'a', topic }, afterMs }]);
}

let messages = 0;

/** A message for topic `t`, unlike all others. */
export function messageOf(draft: Partial<NewMessage>): NewMessage {
  messages += 1;
  return { id: `m${String(messages).padStart(6, '0')}`, topic: 't', kind: 'queue', data: '{}', traceparent: TRACE, hops: 0, enqueuedAt: Date.now(), ...draft };
}

/** One batch per draft. Gives the ids. */
export async function enqueue({ adapter }: QueueEngine, ...drafts: readonly Partial<NewMessage>[]): Promise<string[]> {
  const outcomes = await adapter.enqueueMany(drafts.map((draft) => [messageOf(draft)]), { maxWaiting: 1_000_000 });
  return outcomes.map((outcome) => (outcome.ok ? outcome.ids[0] ?? '' : 'full'));
}

/** Claims for `KEY`. */
export function claim({ adapter }: QueueEngine, max = 10, leaseMs = LONG_MS): Promise<readonly QueueDelivery[]> {
  return adapter.claimMany([{ ...KEY, max }], leaseMs);
}

/** Settles claims as done. */
export function done({ adapter }: QueueEngine, ...claims: readonly QueueDelivery[]): Promise<readonly boolean[]> {
  return adapter.settleMany(claims.map((one) => ({ action: 'done', claim: one })));
}
