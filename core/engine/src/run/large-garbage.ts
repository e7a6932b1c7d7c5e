import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { garbageCollector, Growth, largeBytes } from '@treadle/api';

/** By how much of what is alive the old generation may grow before it is collected again while large values pass, in percent; V8 takes up to 300. */
const GROWTH_PERCENT = 50;
/** The growth that V8 chooses. */
const USUAL_GROWTH = 0;
/** Bytes of texts and objects too large for a page of the heap, dead or alive, from which on they count as many. */
const MANY_LARGE_BYTES = 16 * 2 ** 20;
/** A heap up to this size is collected in one go within some 30 ms; nothing may hold up the event loop for longer than 50. */
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
 * A text of 1 MB survives into the old generation as soon as something waits for it, and V8 lets that grow to four times
 * what was alive when it has little time to collect: a machine that is busy shows 100 MB of texts that nobody has any more.
 * Buffers weigh nothing in the heap: 20 to 30 MB of those that a body or a frame was read into wait for the next young collection, in malloc,
 * which keeps the holes. They are collected early. Only while such texts are around the old generation is kept close to what is alive: to keep
 * it so always costs a process whose small values live for a while, in caches, every eighth call (`state.set`).
 */
export function boundGarbage(): void {
  const collect = garbageCollector();
  const buffers = new Growth(() => largeBytes().buffers);
  let boundUntil: number | undefined;
  let oftenUntil = 0;
  const begin = (): void => {
    grow(GROWTH_PERCENT);
    // V8 chooses the next size at the end of a collection. That of a larger heap is left to V8, which does it in small parts.
    if (getHeapStatistics().used_heap_size <= COLLECTED_BYTES) collect('all');
    buffers.begin();
  };
  const look = (): void => {
    const now = performance.now();
    if (largeBytes().values > MANY_LARGE_BYTES) {
      if (boundUntil === undefined) begin();
      boundUntil = now + FEW_MS;
    } else if (boundUntil !== undefined && now >= boundUntil) {
      grow(USUAL_GROWTH);
      boundUntil = undefined;
    }
    if (buffers.since > MOST_BUFFERS) {
      collect('young');
      buffers.begin();
      oftenUntil = now + FEW_MS;
    }
    setTimeout(look, now < oftenUntil ? LOOK_OFTEN_MS : LOOK_MS).unref();
  };
  setTimeout(look, LOOK_MS).unref();
}

function grow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
