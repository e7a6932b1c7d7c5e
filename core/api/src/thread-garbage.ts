import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What collects the garbage of the thread that calls it. `all`: wholly, in one go, some 20 ms for 40 MB that are alive. `young`: what was allocated
 * since the last collection, large texts and buffers among it; 1 to 3 ms.
 */
export type GarbageCollector = (what: 'all' | 'young') => void;

export function garbageCollector(): GarbageCollector {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
  // The flag belongs to the process, and a new context would show `gc` to whoever runs in it.
  setFlagsFromString('--no-expose-gc');
  return (what) => (what === 'young' ? collect({ type: 'minor' }) : collect());
}

/** Bytes that a thread has, dead or alive. */
export interface ThreadBytes {
  /** Of texts and objects that are too large for a page of its heap. */
  readonly large: number;
  /** Of its buffers. */
  readonly buffers: number;
  /** Of the old generation, which a young collection leaves alone. */
  readonly old: number;
}

export function threadBytes(): ThreadBytes {
  const bytes = { large: 0, buffers: getHeapStatistics().external_memory, old: 0 };
  for (const { space_name: name, space_used_size: used } of getHeapSpaceStatistics()) {
    if (name.endsWith('large_object_space')) bytes.large += used;
    if (!name.startsWith('new_')) bytes.old += used;
  }
  return bytes;
}

/** What a thread has allocated since something was collected, by a figure that only grows until then. */
export class Growth {
  private kept: number;

  constructor(private readonly figure: () => number) {
    this.kept = figure();
  }

  /** In bytes. V8 may have collected by itself: it counts from there. */
  get since(): number {
    const now = this.figure();
    this.kept = Math.min(this.kept, now);
    return now - this.kept;
  }

  /** Counts from now on. */
  begin(): void {
    this.kept = this.figure();
  }
}

/**
 * Bounds the garbage of a thread beside the event loop that takes large values, one piece of work after the other. V8 would let a young heap grow to
 * many times what is alive, and each thread has a heap of its own; such a thread can stop for the few milliseconds of a collection.
 */
export class ThreadGarbage {
  private readonly allocated = new Growth(usedBytes);
  private readonly collect = garbageCollector();

  /** `maxBytes`: of what was allocated since the last collection, dead or alive; more than the young generation has. */
  constructor(private readonly maxBytes: number) {}

  /** Between two pieces of work, when nothing refers to the last one any more: collects when there is much. Says whether it did. */
  tidy(): boolean {
    if (this.allocated.since <= this.maxBytes) return false;
    this.collect('all');
    this.allocated.begin();
    return true;
  }
}

function usedBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
