/** How the bytes of a body are read. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes';

/** A `content-type` header that is understood. */
export interface MediaType {
  readonly kind: BodyKind;
  /** Lower case, without parameters. */
  readonly type: string;
}

const JSON_TYPE: MediaType = { kind: 'json', type: 'application/json' };
const UTF8 = /^(utf-?8|us-ascii)$/i;

/**
 * Reads a content type. `any` takes every type as bytes (triggers with `rawBody`). Undefined: not supported.
 * @source product specification, section 4
 */
export function mediaType(header: string | undefined, any: boolean): MediaType | undefined {
  if (header === 'application/json') return JSON_TYPE;
  if (header === undefined) return any ? { kind: 'bytes', type: 'application/octet-stream' } : undefined;
  const end = header.indexOf(';');
  const type = (end === -1 ? header : header.slice(0, end)).trim().toLowerCase();
  const kind = kindOf(type) ?? (any ? 'bytes' : undefined);
  if (kind === undefined) return undefined;
  // Text in another charset would be read wrongly; as bytes it may pass.
  if (end !== -1 && kind !== 'bytes' && kind !== 'multipart' && !readable(header)) return any ? { kind: 'bytes', type } : undefined;
  return { kind, type };
}

function kindOf(type: string): BodyKind | undefined {
  if (type === 'application/json' || (type.endsWith('+json') && /^[a-z]+\/[^\s/]+$/.test(type))) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  if (type.startsWith('text/')) return 'text';
  return type === 'application/octet-stream' ? 'bytes' : undefined;
}

function readable(header: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(header)?.[1];
  return charset === undefined || UTF8.test(charset);
}
