import type { ReplyMessage } from '@treadle/protocol';
import { OperationError } from 'treadle';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Operations that handlers wait for. */
export class PendingCalls {
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** A new call: its number, and the promise of its reply. */
  add(): { readonly call: number; readonly reply: Promise<unknown> } {
    const call = ++this.#last;
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
    });
    return { call, reply };
  }

  settle({ call, value, error }: ReplyMessage): void {
    const waiting = this.#waiting.get(call);
    if (!waiting) return;
    this.#waiting.delete(call);
    if (error) waiting.reject(new OperationError(error.code, error.message));
    else waiting.resolve(value);
  }

  /** The connection is gone: whether an operation was carried out is unknown. */
  lose(): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new OperationError('EngineLost', 'the connection to the engine was lost before the operation was answered'));
    }
    this.#waiting.clear();
  }
}
