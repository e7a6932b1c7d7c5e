/** How the bytes of a body are read. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes';

/** A `content-type` header that is understood. */
export interface MediaType {
  readonly kind: BodyKind;
  /** Lower case, without parameters. */
  readonly type: string;
}

const JSON_TYPE: MediaType = { kind: 'json', type: 'application/json' };
const BYTES_TYPE: MediaType = { kind: 'bytes', type: 'application/octet-stream' };
const UTF8 = /^(utf-?8|us-ascii)$/i;
/** Types that are text by what they hold: XML, and JSON line by line. */
const TEXT = /^(text\/.+|.+\/xml|.+\+xml|application\/(x-ndjson|ndjson|jsonl|x-jsonlines|json-seq))$/;

/**
 * Reads a content type; what is not known is bytes. Undefined: text in a charset that is not read. `any`: such text is bytes, too.
 */
export function mediaType(header: string | undefined, any: boolean): MediaType | undefined {
  if (header === 'application/json') return JSON_TYPE;
  if (header === undefined) return BYTES_TYPE;
  const end = header.indexOf(';');
  const type = (end === -1 ? header : header.slice(0, end)).trim().toLowerCase();
  const kind = kindOf(type);
  // Text in another charset would be read wrongly; as bytes it may pass.
  if (end !== -1 && kind !== 'bytes' && kind !== 'multipart' && !readable(header)) return any ? { kind: 'bytes', type } : undefined;
  return { kind, type };
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
