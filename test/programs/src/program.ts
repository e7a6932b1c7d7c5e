import { seededRandom } from '@treadle/testing';

/** What a handler does with one line of a program. Every effect bears repetition. */
export type Operation =
  | { readonly do: 'compareAndSet' | 'update'; readonly key: string; readonly by: number }
  /** A value that belongs to this program alone. */
  | { readonly do: 'set'; readonly value: number }
  /** Fails the attempts up to this one. */
  | { readonly do: 'throw'; readonly until: number }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'enqueue'; readonly program: Program; readonly delayMs?: number };

/** A message: what its handler shall do, line by line. */
export interface Program {
  readonly id: string;
  readonly operations: readonly Operation[];
  /** Programs of a group run in the order of `n`, from 1; each folds `by` into the value of the group. */
  readonly place?: { readonly group: string; readonly n: number; readonly by: number };
}

/** How many programs, over how many keys. */
export interface ProgramSizes {
  readonly seed: number;
  readonly programs: number;
  readonly keys: number;
}

const MOST_OPERATIONS = 5;
const DEEPEST = 2;
const GROUPED_SHARE = 0.3;
const KEYS_PER_GROUP = 40;
/** Few keys that many programs want at once. */
const HOT_SHARE = 0.02;
const HOT_KEYS = 8;
const MOST_FAILURES = 3;
const MOST_PAUSE_MS = 20;
const MOST_DELAY_MS = 500;

/** Writes programs that only the seed decides. */
export class ProgramWriter {
  private readonly random: () => number;
  private readonly places = new Map<string, number>();
  private written = 0;

  constructor(private readonly sizes: ProgramSizes) {
    this.random = seededRandom(sizes.seed);
  }

  /** All programs, those that others enqueue included in their number. */
  write(): readonly Program[] {
    const programs: Program[] = [];
    while (this.written < this.sizes.programs) programs.push(this.one(0));
    return programs;
  }

  private one(depth: number): Program {
    const id = `p${++this.written}`;
    const place = depth === 0 && this.random() < GROUPED_SHARE ? { place: this.place() } : {};
    const operations = Array.from({ length: 1 + this.below(MOST_OPERATIONS) }, () => this.operation(depth));
    return { id, operations, ...place };
  }

  private place(): NonNullable<Program['place']> {
    const group = `g${this.below(Math.ceil(this.sizes.keys / KEYS_PER_GROUP))}`;
    const n = (this.places.get(group) ?? 0) + 1;
    this.places.set(group, n);
    return { group, n, by: this.below(1000) };
  }

  private operation(depth: number): Operation {
    const choice = this.random();
    if (choice < 0.3) return { do: 'compareAndSet', key: this.key(), by: 1 + this.below(100) };
    if (choice < 0.6) return { do: 'update', key: this.key(), by: 1 + this.below(100) };
    if (choice < 0.72) return { do: 'set', value: this.below(1000) };
    if (choice < 0.8) return { do: 'pause', ms: this.below(MOST_PAUSE_MS) };
    if (choice < 0.85) return { do: 'throw', until: 1 + this.below(MOST_FAILURES) };
    if (depth === DEEPEST) return { do: 'set', value: this.below(1000) };
    const delay = this.random() < 0.2 ? { delayMs: this.below(MOST_DELAY_MS) } : {};
    return { do: 'enqueue', program: this.one(depth + 1), ...delay };
  }

  private key(): string {
    return this.random() < HOT_SHARE ? `hot${this.below(HOT_KEYS)}` : `k${this.below(this.sizes.keys)}`;
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}
