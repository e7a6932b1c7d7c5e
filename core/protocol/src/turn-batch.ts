import { FRAME_TARGET_BYTES } from './limits.js';
import type { EngineMessage, WorkerMessage } from './messages.js';

/** Any message of either side. */
export type Message = EngineMessage | WorkerMessage;

/** A message as JSON, in pieces that make its text when they are joined. */
export type JsonText = readonly string[];

/** From this length on a message goes out alone, as bytes. */
const LARGE_LENGTH = 64 * 1024;

/** How a connection's messages are gathered and written. */
export interface TurnBatchOptions<M> {
  /** Sends one frame: text, or its UTF-8 when it is large. */
  readonly write: (frame: string | Uint8Array) => void;
  /**
   * A message could not be written as JSON (a cycle, a BigInt); the others of the turn are not affected. May push
   * another message in its place.
   */
  readonly onUnwritable?: (message: M, reason: unknown) => void;
  /** As soon as so many messages have gathered they are written, so that the other side works during a long turn. Default: at the turn's end only. */
  readonly portion?: number;
  /** Given what is to be called at the end of a turn, returns what asks for it; asked several times in a turn it is called once. Default: by `setImmediate`. */
  readonly atEnd?: (run: () => void) => () => void;
}

/**
 * The one writer of a connection, used by both sides. Messages go out in the order in which they were pushed, at the end
 * of the turn or when a portion is full, with one `JSON.stringify` for all that were pushed as objects.
 */
export class TurnBatch<M extends object> {
  readonly #write: (frame: string | Uint8Array) => void;
  readonly #onUnwritable: (message: M, reason: unknown) => void;
  readonly #portion: number;
  #queue: (M | JsonText)[] = [];
  #texts = 0;
  #weight = 0;
  readonly #askEnd: () => void;

  constructor(options: TurnBatchOptions<M>) {
    this.#write = options.write;
    this.#onUnwritable = options.onUnwritable ?? ((): void => undefined);
    this.#portion = options.portion ?? Infinity;
    this.#askEnd = (options.atEnd ?? byImmediate)(() => this.flush());
  }

  /**
   * Adds a message. It is read at the end of the turn, so nobody may change it meanwhile. `weight` is about how many bytes
   * it has, to be given for messages that are known to be large: a turn heavier than a frame is written in several.
   */
  push(message: M, weight = 0): void {
    this.#add(message, weight);
  }

  /**
   * Adds a message that is JSON text already, for content that may change before the turn ends. Text that is large is given in its pieces: each
   * text that it is joined to is as much memory again, and that takes longer than to write it.
   */
  pushText(...pieces: JsonText): void {
    this.#add(pieces, lengthOf(pieces));
  }

  /** Writes what there is now, e.g. before the connection is closed. */
  flush(): void {
    if (this.#queue.length === 0) return;
    const queue = this.#queue;
    const plain = this.#texts === 0;
    const weight = this.#weight;
    this.#queue = [];
    this.#texts = 0;
    this.#weight = 0;
    if (!plain || !this.#writeWhole(queue as M[], weight)) this.#writeParts(queue);
  }

  #add(message: M | JsonText, weight: number): void {
    if (this.#weight > 0 && this.#weight + weight > FRAME_TARGET_BYTES) this.flush();
    // After the flush, which begins the counts anew.
    this.#weight += weight;
    if (isText(message)) this.#texts++;
    this.#queue.push(message);
    if (this.#queue.length >= this.#portion) this.flush();
    if (this.#queue.length > 0) this.#askEnd();
  }

  /** The usual case: one call of `JSON.stringify`. False when the messages have to be looked at one by one. */
  #writeWhole(messages: readonly M[], weight: number): boolean {
    let frame: string;
    try {
      frame = JSON.stringify(messages);
    } catch {
      return false; // one of them cannot be written; `#writeParts` finds out which
    }
    if (messages.length > 1 && !fits(frame, weight)) return false;
    this.#write(frame);
    return true;
  }

  #writeParts(queue: readonly (M | JsonText)[]): void {
    let parts: string[] = [];
    let bytes = 0;
    const end = (): void => {
      if (parts.length > 0) this.#write(`[${parts.join(',')}]`);
      parts = [];
      bytes = 0;
    };
    for (const message of queue) {
      const pieces = this.#textOf(message);
      if (pieces === undefined) continue;
      if (lengthOf(pieces) > LARGE_LENGTH) {
        end();
        this.#write(frameOf(pieces));
        continue;
      }
      const text = pieces.join('');
      const size = bytesOf(text) + 1;
      if (bytes > 0 && bytes + size >= FRAME_TARGET_BYTES) end();
      parts.push(text);
      bytes += size;
    }
    end();
  }

  #textOf(message: M | JsonText): JsonText | undefined {
    if (isText(message)) return message;
    try {
      return [JSON.stringify(message)];
    } catch (error) {
      this.#onUnwritable(message, error);
      return undefined;
    }
  }
}

function byImmediate(run: () => void): () => void {
  let asked = false;
  const end = (): void => {
    asked = false;
    run();
  };
  return () => {
    if (asked) return;
    asked = true;
    setImmediate(end);
  };
}

const isText = (message: object): message is JsonText => Array.isArray(message);

function lengthOf(pieces: JsonText): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

/** A frame of one message, written without a text of the whole. */
function frameOf(pieces: JsonText): Buffer {
  const frame = Buffer.allocUnsafeSlow(pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 2));
  let at = frame.write('[');
  for (const piece of pieces) at += frame.write(piece, at);
  frame.write(']', at);
  return frame;
}

/** Bytes as UTF-8; short texts are taken at their most, which is cheaper than counting. */
const bytesOf = (text: string): number => (text.length < 4096 ? text.length * 3 : Buffer.byteLength(text));

/** Bytes that are known need no counting: `weight` of them. What else the frame has is taken at its most. */
function fits(frame: string, weight: number): boolean {
  if (weight + 3 * Math.max(0, frame.length - weight) <= FRAME_TARGET_BYTES) return true;
  return frame.length <= FRAME_TARGET_BYTES && Buffer.byteLength(frame) <= FRAME_TARGET_BYTES;
}

/**
 * Parses a frame into its messages, or returns undefined when it is not an array of objects with a `type`. Only this
 * outer shape is checked: who reads a message checks what it uses.
 */
export function parseFrame<M extends Message>(text: string): readonly M[] | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined; // the caller closes the connection with `CLOSE.badMessage`
  }
  if (!Array.isArray(frame) || frame.length === 0) return undefined;
  return frame.every(isMessage) ? (frame as M[]) : undefined;
}

function isMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
