import { Readable } from 'node:stream';
import type { SseMessage, SseSend } from 'treadle';
import { EventQueue } from './event-queue.js';

export interface SseOptions {
  /** Name of the Step, for what is said of it. */
  readonly step: string;
  readonly produce: (send: SseSend) => unknown;
  readonly signal: () => AbortSignal;
  /** The producer failed while somebody still listened. */
  readonly onError: (error: unknown) => void;
}

/** Events in bytes that are handed over at once. */
const PIECE = 16 * 1024;
const SENT = Promise.resolve();

/** Resolves when there is room. */
interface Room {
  readonly promise: Promise<void>;
  readonly open: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * The body of an `sse()` answer: runs the producer at once and ends when it has finished. Events that are sent without waiting for
 * room are kept, in order and up to a limit, beyond which the answer fails.
 */
export class SseStream extends Readable {
  readonly #options: SseOptions;
  readonly #unsent = new EventQueue();
  /** There while the stream is full. */
  #room: Room | undefined;
  /** The producer has finished. */
  #finished = false;

  constructor(options: SseOptions) {
    super({ highWaterMark: PIECE });
    this.#options = options;
    // Errors of the stream reach whoever reads it; without a reader there is nobody to tell.
    this.on('error', () => undefined);
    void this.#run();
  }

  override _read(): void {
    while (!this.#unsent.empty) {
      if (!this.push(this.#unsent.take(PIECE))) return;
    }
    this.#leave()?.open();
    if (this.#finished) this.push(null);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#unsent.clear();
    this.#leave()?.fail(gone());
    done(error);
  }

  async #run(): Promise<void> {
    try {
      await this.#options.produce(this.#sender());
      this.#finished = true;
      if (this.#unsent.empty) this.push(null);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.destroyed) return; // the listener has gone and the producer was told so: this is how it stops
    this.#options.onError(error);
    this.destroy(new Error('the producer of server-sent events failed'));
  }

  #sender(): SseSend {
    const send = (data: unknown, message?: SseMessage): Promise<void> => this.#write(formatEvent(data, message));
    const comment = (text: string): Promise<void> => this.#write(`${lines('', text)}\n`);
    Object.defineProperty(send, 'signal', { get: this.#options.signal });
    return Object.assign(send, { comment }) as SseSend;
  }

  #write(text: string): Promise<void> {
    if (this.destroyed || this.#finished) return refuse(this.destroyed ? gone() : new Error('the producer of the events has finished already'));
    if (this.#room === undefined) {
      if (this.push(text)) return SENT;
      this.#room = makeRoom();
    } else if (!this.#unsent.add(text)) {
      const error = tooManyUnsent(this.#options.step);
      this.#fail(error);
      return refuse(error);
    }
    return this.#room.promise;
  }

  /** The stream is not full any more. */
  #leave(): Room | undefined {
    const room = this.#room;
    this.#room = undefined;
    return room;
  }
}

const gone = (): Error => new Error('the client has gone');

function tooManyUnsent(step: string): Error {
  return new Error(`Step "${step}" sent events faster than its client reads, and they wait in memory beyond the limit: `
    + 'await send(), which resolves when there is room for the next event, or drop events until it has');
}

/** Nobody has to hear of it: who does not await `send` has said that. */
function refuse(error: Error): Promise<never> {
  const refused = Promise.reject<never>(error);
  refused.catch(() => undefined);
  return refused;
}

function makeRoom(): Room {
  let [open, fail]: [Room['open'], Room['fail']] = [() => undefined, () => undefined];
  const promise = new Promise<void>((resolve, reject) => {
    [open, fail] = [resolve, reject];
  });
  promise.catch(() => undefined); // as above
  return { promise, open, fail };
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
