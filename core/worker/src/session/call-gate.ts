/** A power of two; more than an engine ever has under way in one worker. */
const SLOTS = 4096;
/** Marks are positive 32-bit numbers; ids are counted through the engine's whole life. */
const MARKS = 0x7fff_ffff;

/**
 * Settles between two threads whether an invocation begins: either the main thread enters it, or the heartbeat's thread
 * withdraws it before that. The low bits of an id are its slot, which holds the mark of the last invocation there: positive
 * when it has begun, negative when it was withdrawn. So nothing is ever cleared, and to begin costs one exchange.
 */
export class CallGate {
  readonly #slots: Int32Array;

  /** `memory`: of the gate in the other thread. */
  constructor(readonly memory = new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)) {
    this.#slots = new Int32Array(memory);
  }

  /** On the main thread, right before an invocation begins. False: it was withdrawn. */
  enter(id: number): boolean {
    const mark = markOf(id);
    return Atomics.exchange(this.#slots, slotOf(id), mark) !== -mark;
  }

  /** On the other thread. True: the invocation has not begun and `enter` will refuse it. False: it has begun, or a later one in its slot has. */
  withdraw(id: number): boolean {
    const mark = markOf(id);
    const seen = Atomics.load(this.#slots, slotOf(id));
    if (seen === -mark) return true;
    // A later one, whether it has begun or was withdrawn: then this one has been under way for long.
    return Math.abs(seen) < mark && Atomics.compareExchange(this.#slots, slotOf(id), seen, -mark) === seen;
  }
}

const slotOf = (id: number): number => id & (SLOTS - 1);

/** Never 0, which stands for a slot that was never used. After 2³¹ ids marks begin again: then a slot's old mark counts as a later one. */
const markOf = (id: number): number => (id % MARKS) + 1;
