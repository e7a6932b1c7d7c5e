import { Readable } from 'node:stream';
import type { SseMessage, SseSend } from 'treadle';

export interface SseOptions {
  readonly produce: (send: SseSend) => unknown;
  readonly signal: () => AbortSignal;
  /** The producer threw while somebody still listened. */
  readonly onError: (error: unknown) => void;
}

/** The body of an `sse()` answer: runs the producer at once and ends when it has finished. */
export class SseStream extends Readable {
  #waiting: (() => void)[] = [];

  constructor(options: SseOptions) {
    super({ highWaterMark: 16 * 1024 });
    // Errors of the stream reach whoever reads it; without a reader there is nobody to tell.
    this.on('error', () => undefined);
    void this.#run(options);
  }

  override _read(): void {
    this.#wake();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wake();
    done(error);
  }

  async #run(options: SseOptions): Promise<void> {
    try {
      await options.produce(this.#sender(options));
      this.push(null);
    } catch (error) {
      if (this.destroyed) return; // the listener has gone and the producer was told so: this is how it stops
      options.onError(error);
      this.destroy(new Error('the producer of server-sent events failed'));
    }
  }

  #sender(options: SseOptions): SseSend {
    const send = (data: unknown, message?: SseMessage): Promise<void> => this.#write(formatEvent(data, message));
    const comment = (text: string): Promise<void> => this.#write(`${lines('', text)}\n`);
    Object.defineProperty(send, 'signal', { get: options.signal });
    return Object.assign(send, { comment }) as SseSend;
  }

  #write(text: string): Promise<void> {
    if (this.destroyed || this.readableEnded) return Promise.reject(new Error('the client has gone'));
    if (this.push(text)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => (this.destroyed ? reject(new Error('the client has gone')) : resolve()));
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}

/** @source HTML standard, "Server-sent events" */
function formatEvent(data: unknown, message: SseMessage = {}): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
  const retry = message.retryMs === undefined ? '' : `retry: ${Math.round(message.retryMs)}\n`;
  return `${field('event', message.event)}${field('id', message.id)}${retry}${lines('data', text)}\n`;
}

/** A line break inside a name would begin another field. */
const field = (name: string, value: string | undefined): string =>
  (value === undefined ? '' : `${name}: ${value.replace(/[\r\n]+/g, ' ')}\n`);

const lines = (name: string, text: string): string =>
  text.split(/\r\n|\r|\n/).map((line) => `${name}: ${line}\n`).join('');
