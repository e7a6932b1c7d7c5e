/** How the bytes of a body are read. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes';
/** A coding of bodies that is undone. */
export type ContentCoding = 'gzip' | 'deflate' | 'br';

const UTF8 = /^(utf-?8|us-ascii)$/i;
/** Types that are text by what they hold: XML, and JSON line by line. */
const TEXT = /^(text\/.+|.+\/xml|.+\+xml|application\/(x-ndjson|ndjson|jsonl|x-jsonlines|json-seq))$/;
const CODINGS: Readonly<Record<string, ContentCoding>> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br' };

/**
 * Reads a `content-type` header; what is not known is bytes. Undefined: text in a charset that is not read. `any`: such text is bytes, too.
 */
export function bodyKind(header: string | undefined, any: boolean): BodyKind | undefined {
  if (header === 'application/json') return 'json';
  if (header === undefined) return 'bytes';
  const end = header.indexOf(';');
  const kind = kindOf((end === -1 ? header : header.slice(0, end)).trim().toLowerCase());
  // Text in another charset would be read wrongly; as bytes it may pass.
  if (end !== -1 && kind !== 'bytes' && kind !== 'multipart' && !readable(header)) return any ? 'bytes' : undefined;
  return kind;
}

function kindOf(type: string): BodyKind {
  if (type === 'application/json' || (type.endsWith('+json') && /^[a-z]+\/[^\s/]+$/.test(type))) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  return TEXT.test(type) ? 'text' : 'bytes';
}

function readable(header: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(header)?.[1];
  return charset === undefined || UTF8.test(charset);
}

/** What a `content-encoding` header asks for: undefined when nothing is to be undone, `unknown` when that is not possible. */
export function contentCoding(header: string | undefined): ContentCoding | 'unknown' | undefined {
  if (header === undefined || header === 'identity') return undefined;
  const names = header.toLowerCase().split(',').map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0) return undefined;
  // Who codes twice hides a bomb in a bomb.
  return names.length === 1 ? CODINGS[names[0] as string] ?? 'unknown' : 'unknown';
}
