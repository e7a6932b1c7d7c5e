import { pipeline, type Readable } from 'node:stream';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** Smaller responses are sent as they are. */
export const MIN_COMPRESSED_BYTES = 1024;

/** Brotli's default of 11 takes a hundred times as long as 4 for a tenth of the size. */
const BROTLI_QUALITY = 4;
/** Streams are many and long: 256 KiB each instead of 4 MiB; as a power of two. */
const BROTLI_STREAM_WINDOW = 18;
const COMPRESSIBLE = /^(text\/|application\/(json|javascript|xml|wasm|x-ndjson|graphql)|image\/svg\+xml|[^;]+\+(json|xml))/i;

/** The better one first. */
const ENCODINGS = ['br', 'gzip'] as const;
/** What is read of an `Accept-Encoding` header, in characters. */
const MAX_ACCEPT = 1024;

/** Its types do not have `preferred` yet. */
interface PreferringNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

export type ContentEncoding = (typeof ENCODINGS)[number];

/** True for content that becomes notably smaller; event streams are not content to hold back. */
export function compressible(contentType: string): boolean {
  return COMPRESSIBLE.test(contentType) && !contentType.startsWith('text/event-stream');
}

/**
 * The encoding to use for an `Accept-Encoding` header: the client's favourite of br and gzip, br when it does not care.
 * @source RFC 9110, section 12.5.3
 */
export function chooseEncoding(accept: string | string[] | undefined): ContentEncoding | undefined {
  if (typeof accept !== 'string' || accept === '') return undefined;
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': accept.slice(0, MAX_ACCEPT) } });
  const encoding = negotiator.encoding([...ENCODINGS, 'identity'], { preferred: [...ENCODINGS] });
  return ENCODINGS.find((name) => name === encoding);
}

/** Compresses in the thread pool; calls `done` once, with undefined when the library failed. */
export function compress(body: string | Buffer, encoding: ContentEncoding, done: (compressed: Buffer | undefined) => void): void {
  const settle = (error: Error | null, result: Buffer): void => done(error ? undefined : result);
  if (encoding === 'gzip') {
    gzip(body, settle);
    return;
  }
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  brotliCompress(body, { params }, settle);
}

/** The source compressed piece by piece; each comes out at once, so that nobody waits for the next one. */
export function compressStream(source: Readable, encoding: ContentEncoding): Readable {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_LGWIN]: BROTLI_STREAM_WINDOW };
  const compressor = encoding === 'gzip'
    ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH, params });
  // Whoever reads it hears of a fault; the source is destroyed with it.
  return pipeline(source, compressor, () => undefined);
}
