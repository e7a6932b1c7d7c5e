import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What collects the garbage of the thread that calls it: wholly, in one go, some 20 ms for 40 MB that are alive. */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // The flag belongs to the process, and a new context would show `gc` to whoever runs in it.
  setFlagsFromString('--no-expose-gc');
  return collect;
}

function used(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

/**
 * Bounds the garbage of a thread beside the event loop that takes large values, one piece of work after the other. V8 would let a young heap grow to
 * many times what is alive, and each thread has a heap of its own; such a thread can stop for the few milliseconds of a collection.
 */
export class ThreadGarbage {
  private kept = used();
  private readonly collect = garbageCollector();

  /** `maxBytes`: of what was allocated since the last collection, dead or alive; more than the young generation has. */
  constructor(private readonly maxBytes: number) {}

  /** Between two pieces of work, when nothing refers to the last one any more: collects when there is much. Says whether it did. */
  tidy(): boolean {
    const now = used();
    if (now - this.kept <= this.maxBytes) {
      // V8 has collected by itself.
      this.kept = Math.min(this.kept, now);
      return false;
    }
    this.collect();
    this.kept = used();
    return true;
  }
}
