import type { ReplyMessage } from '@treadle/protocol';
import { OperationError } from 'treadle';

interface Waiting {
  readonly call: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** About what handlers have under way at once; a power of two. More go into a map. */
const SLOTS = 2048;

/**
 * Operations that handlers wait for. Numbers are given out in order, so the low bits of a number are its slot; one that finds
 * it taken by a call that has been under way for long goes into a map. A map alone would keep what is over alive: the table
 * that a Map of V8 leaves behind when it grows or is compacted points to its successor.
 */
export class PendingCalls {
  readonly #slots = new Array<Waiting | undefined>(SLOTS).fill(undefined);
  readonly #overflow = new Map<number, Waiting>();
  #last = 0;

  /** A new call: its number, and the promise of its reply. */
  add(): { readonly call: number; readonly reply: Promise<unknown> } {
    const call = ++this.#last;
    const reply = new Promise<unknown>((resolve, reject) => this.#keep({ call, resolve, reject }));
    return { call, reply };
  }

  settle({ call, value, error }: ReplyMessage): void {
    const waiting = this.#take(call);
    if (!waiting) return;
    if (error) waiting.reject(new OperationError(error.code, error.message));
    else waiting.resolve(value);
  }

  /** The connection is gone: whether an operation was carried out is unknown. */
  lose(): void {
    for (const waiting of [...this.#slots, ...this.#overflow.values()]) {
      waiting?.reject(new OperationError('EngineLost', 'the connection to the engine was lost before the operation was answered'));
    }
    this.#slots.fill(undefined);
    this.#overflow.clear();
  }

  #keep(waiting: Waiting): void {
    const slot = waiting.call & (SLOTS - 1);
    if (this.#slots[slot] === undefined) this.#slots[slot] = waiting;
    else this.#overflow.set(waiting.call, waiting);
  }

  #take(call: number): Waiting | undefined {
    const slot = call & (SLOTS - 1);
    const waiting = this.#slots[slot];
    if (waiting?.call === call) {
      this.#slots[slot] = undefined;
      return waiting;
    }
    const late = this.#overflow.get(call);
    this.#overflow.delete(call);
    return late;
  }
}
