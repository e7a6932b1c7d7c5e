import type { Json, StateAdapter, StateCapabilities, StateDecision, StateEntry, StateItem, StateWriteResult } from '@treadle/api';
import type { VariantTests } from '../suite/adapter-suite.js';
import { AdapterUnderTest } from '../suite/adapter-under-test.js';
import { allPages } from '../suite/all-pages.js';

/** What a group of tests is registered with. */
export type StateTests = VariantTests<StateUnderTest, StateCapabilities>;

/** A started adapter with what tests do to it. */
export class StateUnderTest extends AdapterUnderTest<StateAdapter, StateCapabilities> {
  /** `ttlMs`: from the fake clock's present. */
  set(group: string, key: string, value: Json, ttlMs?: number): Promise<StateWriteResult> {
    const expiresAt = ttlMs === undefined ? undefined : this.clock.now() + ttlMs;
    return this.always(group, key, { action: 'set', value, expiresAt });
  }

  delete(group: string, key: string): Promise<StateWriteResult> {
    return this.always(group, key, { action: 'delete' });
  }

  /** A write that decides so whatever there is. */
  always(group: string, key: string, decision: StateDecision, recordChange = false): Promise<StateWriteResult> {
    return this.adapter.write({ group, key, next: () => decision, always: decision, recordChange });
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
  list(group: string, options: { readonly prefix?: string; readonly limit?: number } = {}): Promise<StateItem[]> {
    return allPages(options.limit ?? 100, (paging) => this.adapter.list(group, { ...options, ...paging }));
  }

  groups(options: { readonly prefix?: string; readonly limit?: number } = {}): Promise<string[]> {
    return allPages(options.limit ?? 100, (paging) => this.adapter.listGroups({ ...options, ...paging }));
  }
}

/** Order of the keys' UTF-8 bytes. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Names that stores have mixed up, some of them only as a pair (`g` and `h:k`, `g:h` and `k`). U+FFFF and the emoji sort differently as UTF-16 and as UTF-8. */
export const NAMES: readonly string[] = [
  'a_b', 'axb', 'a%', 'a', 'ab', 'g', 'g:h', 'h:k', 'g.h', 'h.k', 'g/h', 'h/k', 'k', '__proto__', 'constructor', 'toString', 'é', '😀', '\uffff', ' ', "'\"`;--", '\\', '\u0000', 'A', '0', '-1',
];
