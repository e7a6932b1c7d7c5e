import { Readable } from 'node:stream';
import type { StreamSource } from 'treadle';
import { RunError } from './failure.js';

/** Status, headers and body of a web `Response`. */
export interface ResponseParts {
  readonly status: number;
  readonly headers: Record<string, string | readonly string[]>;
  readonly source: StreamSource | undefined;
}

/** Facts of another connection, which the engine settles for its own. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings',
]);

/** True for a `Response` of this runtime or of a package. */
export function isResponse(value: object): value is Response {
  const { arrayBuffer, headers, status } = value as { arrayBuffer?: unknown; headers?: { get?: unknown } | null; status?: unknown };
  return typeof arrayBuffer === 'function' && typeof status === 'number' && typeof headers?.get === 'function';
}

/** Takes a `Response` apart. @throws RunError `invalid_handler_result` when its body is gone already */
export function responseParts(response: Response): ResponseParts {
  if (response.bodyUsed || response.body?.locked) throw new RunError('invalid_handler_result', 'the body of the Response was read already');
  return { status: response.status, headers: headersOf(response), source: (response.body as StreamSource | null) ?? undefined };
}

function headersOf({ headers, url }: Response): ResponseParts['headers'] {
  const list: ResponseParts['headers'] = {};
  headers.forEach((value, name) => {
    if (OF_THE_CONNECTION.has(name) || name === 'set-cookie') return;
    // fetch() has decoded the body, but says what it was.
    if (name === 'content-encoding' && url !== '') return;
    list[name] = value;
  });
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) list['set-cookie'] = cookies;
  return list;
}

/** The bytes of a streamed answer as a readable. @throws RunError `invalid_handler_result` for a stream that is over */
export function sourceStream(source: StreamSource): Readable {
  if (!(source instanceof Readable)) return fromIterable(source);
  if (source.destroyed || source.readableEnded) throw new RunError('invalid_handler_result', 'the stream of the body was read or destroyed already');
  return source;
}

/** Some implementations of the two kinds of streams cannot be iterated. */
interface OldStream {
  readonly getReader?: () => { read(): Promise<{ done?: boolean; value?: unknown }>; cancel(): Promise<unknown> };
  readonly [Symbol.asyncIterator]?: unknown;
  readonly [Symbol.iterator]?: unknown;
}

function fromIterable(source: StreamSource): Readable {
  const old = source as OldStream;
  if (old[Symbol.asyncIterator] ?? old[Symbol.iterator]) return Readable.from(source as AsyncIterable<unknown>, { objectMode: false });
  if (old.getReader) return Readable.from(piecesOf(old.getReader()), { objectMode: false });
  return new Readable().wrap(source as unknown as NodeJS.ReadableStream);
}

async function* piecesOf(reader: ReturnType<NonNullable<OldStream['getReader']>>): AsyncGenerator<unknown> {
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}
