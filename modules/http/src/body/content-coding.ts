import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

/** A coding of bodies that is undone. */
export type ContentCoding = 'gzip' | 'deflate' | 'br';

const CODINGS: Readonly<Record<string, ContentCoding>> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br' };

/** What a `content-encoding` header asks for: undefined when nothing is to be undone, `unknown` when that is not possible. */
export function contentCoding(header: string | undefined): ContentCoding | 'unknown' | undefined {
  if (header === undefined || header === 'identity') return undefined;
  const names = header.toLowerCase().split(',').map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0) return undefined;
  // Who codes twice hides a bomb in a bomb.
  return names.length === 1 ? CODINGS[names[0] as string] ?? 'unknown' : 'unknown';
}

/** A stream that undoes a coding. `first`: the first byte of the body, for half of the clients leave out the frame of `deflate`. */
export function decoderOf(coding: ContentCoding, first: number | undefined): Transform {
  switch (coding) {
    case 'gzip': return createGunzip();
    case 'br': return createBrotliDecompress();
    // @source RFC 1950, section 2.2: the low half of the first byte names the method, which is always 8
    case 'deflate': return first === undefined || (first & 0x0f) === 8 ? createInflate() : createInflateRaw();
  }
}
