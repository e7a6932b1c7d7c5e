/** A power of two; more than an engine ever has under way in one worker. */
const SLOTS = 4096;
/** Marks are positive 32-bit numbers; ids are counted through the engine's whole life. */
const MARKS = 0x7fff_ffff;

/**
 * Settles between two threads whether an invocation begins: either the main thread enters it, or the heartbeat's thread
 * withdraws it before that. The low bits of an id are its slot, which holds the mark of the last invocation there: positive
 * when it has begun, negative when it was withdrawn; another one holds the mark of the last that has ended. So nothing is
 * ever cleared, and an invocation costs one exchange and one store. Ids rise in the order in which invocations come.
 */
export class CallGate {
  readonly #begun: Int32Array;
  readonly #ended: Int32Array;

  /** `memory`: of the gate in the other thread. */
  constructor(readonly memory = new SharedArrayBuffer(2 * SLOTS * Int32Array.BYTES_PER_ELEMENT)) {
    this.#begun = new Int32Array(memory, 0, SLOTS);
    this.#ended = new Int32Array(memory, SLOTS * Int32Array.BYTES_PER_ELEMENT, SLOTS);
  }

  /** On the main thread, right before an invocation begins. False: it was withdrawn. */
  enter(id: number): boolean {
    const mark = markOf(id);
    return Atomics.exchange(this.#begun, slotOf(id), mark) !== -mark;
  }

  /** On the main thread, when its answer is ready to be sent. */
  leave(id: number): void {
    Atomics.store(this.#ended, slotOf(id), markOf(id));
  }

  /** On the other thread. True: the invocation has not begun and `enter` will refuse it. False: it has begun, or a later one in its slot has. */
  withdraw(id: number): boolean {
    const mark = markOf(id);
    const seen = Atomics.load(this.#begun, slotOf(id));
    if (seen === -mark) return true;
    // A later one, whether it has begun or was withdrawn: then this one has been under way for long.
    return Math.abs(seen) < mark && Atomics.compareExchange(this.#begun, slotOf(id), seen, -mark) === seen;
  }

  /** On the other thread. True: the invocation has ended, whether or not its answer has left this process. */
  hasEnded(id: number): boolean {
    return Atomics.load(this.#ended, slotOf(id)) === markOf(id);
  }
}

const slotOf = (id: number): number => id & (SLOTS - 1);

/** Never 0, which stands for a slot that was never used. After 2³¹ ids marks begin again: then a slot's old mark counts as a later one. */
const markOf = (id: number): number => (id % MARKS) + 1;
