import { setFlagsFromString } from 'node:v8';
import { garbageCollector, type GarbageCollector, Growth, type ThreadBytes, threadBytes } from '@treadle/api';
import { OldGrowth } from './old-growth.js';

/** By how much of what is alive the old generation may grow before it is collected again while large values pass, in percent; V8 takes up to 300. */
const GROWTH_PERCENT = 50;
/** The growth that V8 chooses. */
const USUAL_GROWTH = 0;
/** Bytes of texts and objects too large for a page of the heap by which it has grown once they count as many. */
const MANY_LARGE_BYTES = 6 * 2 ** 20;
/** Bytes that may come to the old generation and to buffers while large values pass. V8 is to collect them before, and does not when it has little time. */
const MOST_OLD_BYTES = 28 * 2 ** 20;
/** Of a heap of which no more is alive, all garbage is collected in one go within some 30 ms; nothing may hold up the event loop for longer than 50. */
const COLLECTED_BYTES = 64 * 2 ** 20;
/** Bytes of buffers that may be made between two collections. */
const MOST_BUFFERS = 6 * 2 ** 20;
/** How often one looks, also while there are many buffers, and for how long they must have been few before all is as usual; milliseconds. */
const LOOK_MS = 100;
const LOOK_OFTEN_MS = 25;
const FEW_MS = 30_000;

/**
 * Keeps the garbage of large values small in a process that holds little and hands on much; to be called when it starts.
 *
 * A text of 1 MB survives into the old generation as soon as something waits for it, with all that was read from it, and V8 lets that grow to four
 * times what was alive when it has little time to collect: a machine that is busy shows 100 MB of texts that nobody has any more.
 * Buffers weigh nothing in the heap: 20 to 30 MB of those that a body or a frame was read into wait for the next young collection, in malloc,
 * which keeps the holes. They are collected early. Only while such texts are around the old generation is kept close to what is alive: to keep
 * it so always costs a process whose small values live for a while, in caches, every eighth call (`state.set`).
 */
export function boundGarbage(): void {
  const watch = new LargeGarbage(garbageCollector());
  const look = (): void => void setTimeout(look, watch.look(performance.now())).unref();
  setTimeout(look, LOOK_MS).unref();
}

/** Decides when a process collects its garbage by itself. */
export class LargeGarbage {
  private readonly large: Growth;
  private readonly buffers: Growth;
  private readonly old: OldGrowth;
  private boundUntil: number | undefined;
  private oftenUntil = 0;

  constructor(private readonly collect: GarbageCollector, bytes: () => ThreadBytes = threadBytes) {
    this.large = new Growth(() => bytes().large);
    this.buffers = new Growth(() => bytes().buffers);
    this.old = new OldGrowth(bytes);
  }

  /** Collects what there is too much of. Returns after how many milliseconds one is to look again. */
  look(now: number): number {
    if (this.large.since > MANY_LARGE_BYTES) this.bind(now + FEW_MS);
    else if (this.boundUntil !== undefined && now >= this.boundUntil) this.unbind();
    if (this.old.since() > MOST_OLD_BYTES && this.boundUntil !== undefined) this.collectAll();
    if (this.buffers.since > MOST_BUFFERS) {
      this.collect('young');
      this.buffers.begin();
      this.oftenUntil = now + FEW_MS;
    }
    return now < this.oftenUntil ? LOOK_OFTEN_MS : LOOK_MS;
  }

  private bind(until: number): void {
    const first = this.boundUntil === undefined;
    this.boundUntil = until;
    if (!first) return;
    grow(GROWTH_PERCENT);
    // V8 chooses the next size at the end of a collection.
    this.collectAll();
  }

  private unbind(): void {
    this.boundUntil = undefined;
    grow(USUAL_GROWTH);
  }

  /** That of a larger heap is left to V8, which does it in small parts. */
  private collectAll(): void {
    if (this.old.alive <= COLLECTED_BYTES) this.collect('all');
    for (const growth of [this.large, this.old, this.buffers]) growth.begin();
  }
}

function grow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
