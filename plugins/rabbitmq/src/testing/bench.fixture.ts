import type { NewMessage, QueueAdapter, QueueDelivery, Settlement } from '@treadle/api';
import { type RunningAdapter, type ServerProcess, startLoneAdapter } from '@treadle/testing';
import { freshConfig, type KitConfig, startEngine } from './kit.fixture.js';
import { sharedServer } from './shared-server.fixture.js';

export const KEY = { step: 'a', topic: 't' };
export const LEASE_MS = 60_000;
export const LIMITS = { maxWaiting: 1_000 };

let messages = 0;

export function message(more: Partial<NewMessage> = {}): NewMessage {
  messages += 1;
  return { id: `m${String(messages).padStart(6, '0')}`, topic: 't', kind: 'queue', data: '{"n":1}', traceparent: '', hops: 0, enqueuedAt: Date.now(), ...more };
}

/** What a test works with: an engine that is started for it, and others that it starts. */
export interface Bench {
  readonly server: ServerProcess;
  readonly config: KitConfig;
  readonly queue: QueueAdapter;
  /** @param port of a proxy; default: the server's */
  start(port?: number): Promise<QueueAdapter>;
  /** The second store by itself. */
  store(): Promise<QueueAdapter>;
}

export async function bench(body: (given: Bench) => Promise<void>, on: Promise<ServerProcess> = sharedServer()): Promise<void> {
  const server = await on;
  const { config, cleanup } = await freshConfig(server);
  const running: RunningAdapter<QueueAdapter>[] = [];
  const keep = async (one: Promise<RunningAdapter<QueueAdapter>>): Promise<QueueAdapter> => {
    running.push(await one);
    return (await one).adapter;
  };
  const start = (port = server.port): Promise<QueueAdapter> => keep(startEngine({ ...config, port }));
  const plugin = new URL('./kit-plugin.fixture.ts', import.meta.url).href;
  const store = (): Promise<QueueAdapter> => keep(startLoneAdapter<QueueAdapter>({ plugin, classId: config.store.class, slot: 'queue', config: config.store.config }));
  try {
    const queue = await start();
    await subscribe(queue, 'a');
    await body({ server, config, queue, start, store });
  } finally {
    for (const { stop } of running) await stop();
    await cleanup();
  }
}

export async function subscribe(queue: QueueAdapter, step: string, more: { readonly fifo?: boolean; readonly delayMs?: number; readonly topic?: string } = {}): Promise<void> {
  await queue.changeSubscriptions([{ action: 'put', subscription: { step, topic: 't', application: 'x', fifo: false, delayMs: 0, settings: '', ...more } }]);
}

export const claim = (queue: QueueAdapter, max = 100): Promise<readonly QueueDelivery[]> => queue.claimMany([{ ...KEY, max }], LEASE_MS);
export const done = (claims: readonly QueueDelivery[]): Settlement[] => claims.map((one) => ({ action: 'done', claim: one }));
