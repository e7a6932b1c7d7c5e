import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningAdapter, startAdapter } from '@treadle/testing';
import type { PostgresConfig } from '../store/store.config.js';

const PLUGIN = new URL('../index.ts', import.meta.url).href;

/** An adapter of this package in an engine of its own, on the machine's time. @throws what the start throws */
export async function startEngine<A>(slot: 'queue' | 'state' | 'stream' | 'cron', config: PostgresConfig): Promise<RunningAdapter<A>> {
  const root = mkdtempSync(join(tmpdir(), 'treadle-postgres-'));
  const running = await startAdapter<A>({ plugin: PLUGIN, classId: `modules::${slot}::adapters::Postgres`, slot, config, root });
  return { ...running, stop: () => running.stop().finally(() => rmSync(root, { recursive: true, force: true })) };
}

/** Asks until it holds. @throws an `Error` after ten seconds */
export async function eventually<T>(what: string, ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (const until = Date.now() + 10_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const answer = await ask();
    if (holds(answer)) return answer;
  }
  throw new Error(`in vain: ${what}`);
}

/** The error that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<Error & { code?: string; hint?: string }> {
  return promise.then(() => { throw new Error('it did not fail'); }, (error: unknown) => error as Error);
}
