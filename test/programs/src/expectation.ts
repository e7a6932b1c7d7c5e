import type { Operation, Program } from './program.js';

/** Group of state → key → number. */
export type Counters = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Groups of state in which handlers leave what is compared. */
export const COMPARED = ['compared', 'updated', 'own', 'folds'] as const;

/** What has to be there in the end, computed from the programs alone. */
export class Expectation {
  /** Programs, those that others enqueue included. */
  programs = 0;
  /** Attempts that fail as planned. */
  failures = 0;
  private readonly counters = new Map<string, Map<string, number>>(COMPARED.map((group) => [group, new Map<string, number>()]));

  constructor(programs: readonly Program[]) {
    for (const program of programs) this.run(program);
  }

  /** Where the store differs, at most 20 places. */
  differences(found: Counters): readonly string[] {
    const differing: string[] = [];
    for (const [group, expected] of this.counters) {
      const values = found.get(group) ?? new Map<string, number>();
      for (const key of new Set([...expected.keys(), ...values.keys()])) {
        if (expected.get(key) !== values.get(key)) differing.push(`${group}/${key}: ${values.get(key)} instead of ${expected.get(key)}`);
      }
    }
    return differing.length > 20 ? [...differing.slice(0, 20), `and ${differing.length - 20} more`] : differing;
  }

  /** Keys that are compared. */
  get size(): number {
    return [...this.counters.values()].reduce((sum, { size }) => sum + size, 0);
  }

  private run({ id, operations, place }: Program): void {
    this.programs += 1;
    // An attempt ends at the first line that fails it; the last one of the largest `until` is the last that fails.
    this.failures += Math.max(0, ...operations.map((one) => (one.do === 'throw' ? one.until : 0)));
    if (place) this.put('folds', place.group, folded(this.counters.get('folds')?.get(place.group) ?? 0, place.by));
    for (const operation of operations) this.effect(id, operation);
  }

  private effect(id: string, operation: Operation): void {
    if (operation.do === 'compareAndSet') this.add('compared', operation.key, operation.by);
    if (operation.do === 'update') this.add('updated', operation.key, operation.by);
    if (operation.do === 'set') this.put('own', id, operation.value);
    if (operation.do === 'enqueue') this.run(operation.program);
  }

  private add(group: string, key: string, by: number): void {
    this.put(group, key, (this.counters.get(group)?.get(key) ?? 0) + by);
  }

  private put(group: string, key: string, value: number): void {
    this.counters.get(group)?.set(key, value);
  }
}

/** Another order gives another number. The handler has the same line. */
function folded(value: number, by: number): number {
  return (value * 31 + by) % 1_000_003;
}
