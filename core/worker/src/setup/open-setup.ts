import type { SetupDefinition } from './setup-file.js';

/** A value that was opened, until nobody uses it any more. */
export class OpenSetup {
  #users = 0;
  #closed: Promise<void> | undefined;

  /** `onCloseFailed`: `close` threw, or did not come to an end in time. */
  constructor(readonly value: unknown, private readonly definition: Pick<SetupDefinition, 'close' | 'closeTimeoutMs'>, private readonly onCloseFailed: (error: unknown) => void) {}

  hold(): void {
    this.#users++;
  }

  /** The last one who lets go of it closes it. */
  release(): Promise<void> | undefined {
    return --this.#users <= 0 ? this.close() : undefined;
  }

  /** Never rejects. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    const { close, closeTimeoutMs } = this.definition;
    if (!close) return;
    try {
      await within(Promise.resolve().then(() => close(this.value)), closeTimeoutMs, 'close');
    } catch (error) {
      this.onCloseFailed(error);
    }
  }
}

/** @throws Error when a function does not come to an end in so many milliseconds */
export async function within<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}() did not come to an end in ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
