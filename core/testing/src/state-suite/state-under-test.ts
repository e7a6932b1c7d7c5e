import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  adapterSpecOf, type Json, type StateAdapter, type StateCapabilities, type StateDecision, type StateEntry, type StateItem, type StateWriteResult,
} from '@treadle/api';
import type { AdapterTarget } from '../adapter-target.js';
import { type HarnessOptions, type RunningAdapter, startAdapter } from '../adapter-harness.js';
import type { Suite } from '../runner.js';
import { type FakeClock, fakeClock } from '../fake-clock.js';

export type StateTarget = AdapterTarget<StateAdapter, unknown, StateCapabilities>;

/** Runs a test on a fresh store and removes it again. */
export type WithState = (body: (state: StateUnderTest) => Promise<void>) => Promise<void>;

/** What a group of tests is registered with. */
export interface StateTests {
  readonly suite: Suite;
  readonly withState: WithState;
  /** What the variant declares. */
  readonly declared: StateCapabilities;
}

/** A started adapter with what tests do to it. */
export class StateUnderTest {
  readonly clock: FakeClock = fakeClock();
  private running: RunningAdapter<StateAdapter> | undefined;

  constructor(readonly options: HarnessOptions) {}

  get adapter(): StateAdapter {
    if (!this.running) throw new Error('the adapter is not running');
    return this.running.adapter;
  }

  /** What the plan found for the config. */
  get capabilities(): StateCapabilities {
    return this.running?.capabilities as StateCapabilities;
  }

  async start(): Promise<void> {
    this.running = await startAdapter<StateAdapter>({ ...this.options, clock: this.clock });
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await running?.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** `ttlMs`: from the fake clock's present. */
  set(group: string, key: string, value: Json, ttlMs?: number): Promise<StateWriteResult> {
    const expiresAt = ttlMs === undefined ? undefined : this.clock.now() + ttlMs;
    return this.write(group, key, () => ({ action: 'set', value, expiresAt }));
  }

  delete(group: string, key: string): Promise<StateWriteResult> {
    return this.write(group, key, () => ({ action: 'delete' }));
  }

  /** Adds to a number; anything else counts as 0. */
  add(group: string, key: string, by: number): Promise<StateWriteResult> {
    return this.write(group, key, (current) => ({
      action: 'set', value: (typeof current?.value === 'number' ? current.value : 0) + by, keepExpiry: true,
    }));
  }

  write(group: string, key: string, next: (current: StateEntry | undefined) => StateDecision, recordChange = false): Promise<StateWriteResult> {
    return this.adapter.write({ group, key, next, recordChange });
  }

  async value(group: string, key: string): Promise<Json | undefined> {
    return (await this.adapter.get(group, key))?.value;
  }

  /** All pages; throws when a page is too long or the cursor does not end. */
  async list(group: string, options: { readonly prefix?: string; readonly limit?: number } = {}): Promise<StateItem[]> {
    return this.pages(options.limit ?? 100, (paging) => this.adapter.list(group, { ...options, ...paging }));
  }

  async groups(options: { readonly prefix?: string; readonly limit?: number } = {}): Promise<string[]> {
    return this.pages(options.limit ?? 100, (paging) => this.adapter.listGroups({ ...options, ...paging }));
  }

  private async pages<T>(
    limit: number, read: (paging: { limit: number; cursor?: string }) => Promise<{ items: readonly T[]; cursor?: string }>,
  ): Promise<T[]> {
    const all: T[] = [];
    let cursor: string | undefined;
    for (let count = 0; count < 10_000; count++) {
      const page = await read({ limit, ...cursor === undefined ? {} : { cursor } });
      if (page.items.length > limit) throw new Error(`a page of at most ${limit} has ${page.items.length} items`);
      all.push(...page.items);
      cursor = page.cursor;
      if (cursor === undefined) return all;
    }
    throw new Error('the cursors do not come to an end');
  }
}

/** Fresh stores of one variant. */
export function stateOf(target: StateTarget, variant: string): WithState {
  const spec = adapterSpecOf(target.adapter);
  if (!spec) throw new Error(`${target.adapter.name} has no @Adapter declaration`);
  return async (body) => {
    const root = mkdtempSync(join(tmpdir(), 'treadle-state-'));
    const env = await target.env?.(variant);
    const config = env ? env.config : spec.variants[variant];
    const state = new StateUnderTest({ plugin: target.plugin, classId: spec.id, slot: spec.slot.id, config, root });
    try {
      await state.start();
      await body(state);
    } finally {
      await state.stop();
      await env?.cleanup();
      rmSync(root, { recursive: true, force: true });
    }
  };
}

/** Order of the keys' UTF-8 bytes. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Names that stores have mixed up, some of them only as a pair (`g` and `h:k`, `g:h` and `k`). U+FFFF and the emoji sort differently as UTF-16 and as UTF-8. */
export const NAMES: readonly string[] = [
  'a_b', 'axb', 'a%', 'a', 'ab', 'g', 'g:h', 'h:k', 'g.h', 'h.k', 'g/h', 'h/k', 'k', '__proto__', 'constructor', 'toString', 'é', '😀', '\uffff', ' ', "'\"`;--", '\\', '\u0000', 'A', '0', '-1',
];
