import { type Readable, Stream } from 'node:stream';
import type { StreamSource } from 'treadle';
import { RunError } from './failure.js';

/** A body that is not JSON: its bytes, or where they come from. */
export type RawContent =
  | { readonly bytes: Buffer }
  | { readonly source: StreamSource; readonly contentType?: string | undefined };

/** Members of what a body may be, by which copies and other implementations of a class are recognised. */
interface Shape {
  readonly stream?: unknown;
  readonly arrayBuffer?: unknown;
  readonly type?: unknown;
  readonly getReader?: unknown;
  readonly next?: unknown;
  readonly pipe?: unknown;
  readonly [Symbol.asyncIterator]?: unknown;
  readonly [Symbol.iterator]?: unknown;
}

/** What JSON makes of a Node stream; nobody wants to send that. */
const STREAM_SIGN = '"_readableState":';

/** True for values that can only be JSON, which nearly all bodies are. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === Array.prototype || prototype === null) && !(Symbol.asyncIterator in value);
}

/** The bytes that an object stands for; undefined when it is to be written as JSON. */
export function rawContent(value: object): RawContent | undefined {
  if (ArrayBuffer.isView(value)) return { bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength) };
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return { bytes: Buffer.from(value) };
  const shape = value as Shape;
  if (isBlob(shape)) return { source: shape.stream(), contentType: typeof shape.type === 'string' && shape.type !== '' ? shape.type : undefined };
  return isSource(shape) ? { source: value as StreamSource } : undefined;
}

function isBlob(shape: Shape): shape is Blob {
  return typeof shape.arrayBuffer === 'function' && typeof shape.stream === 'function';
}

/** Node and web streams, what is iterated asynchronously, and generators; other iterables are data. */
function isSource(shape: Shape): boolean {
  if (typeof shape[Symbol.asyncIterator] === 'function' || typeof shape.getReader === 'function' || shape instanceof Stream) return true;
  return typeof shape[Symbol.iterator] === 'function' && typeof shape.next === 'function';
}

/** Also of a package that brings streams of its own. */
function isNodeStream(value: unknown): boolean {
  return value instanceof Stream || (typeof value === 'object' && value !== null && '_readableState' in value && 'pipe' in value);
}

/** A body that nobody will read lets go of its file or socket. */
export function discard(body: unknown): void {
  if (isNodeStream(body)) (body as Partial<Readable>).destroy?.();
}

/**
 * A stream inside of a JSON body would become its own inside, the path of its file included.
 * @throws RunError `invalid_handler_result` naming the place
 */
export function refuseStreamInside(body: unknown, text: string): void {
  if (!text.includes(STREAM_SIGN)) return;
  const place = placeOfStream(body);
  if (place !== undefined) throw new RunError('invalid_handler_result', `the body has a stream at ${place}; only a whole body can be one`);
}

function placeOfStream(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (isNodeStream(member)) {
      discard(member);
      return key;
    }
    const inner = placeOfStream(member);
    if (inner !== undefined) return `${key}.${inner}`;
  }
  return undefined;
}
