import { type OrProblem, unusableResult } from './problem.js';

/** Flat list of names and values, as `writeHead` takes it. */
export type HeaderList = (string | number)[];

/** What a handler's headers became. */
export interface CheckedHeaders {
  readonly list: HeaderList;
  /** The handler's own content type. */
  readonly contentType: string | undefined;
  /** The handler has encoded the body itself. */
  readonly encoded: boolean;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What may stand in a header value: tab, visible characters and those above ASCII in one byte. */
const BAD_VALUE = /[^\t\u0020-\u007e\u0080-\u00ff]/;
/** Framing and connection are the engine's; a handler that sets them could split or desynchronise responses. */
const FORBIDDEN = new Set([
  'connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings',
]);
/** Set by the engine alone; a handler's are dropped without a word. */
const OURS = new Set(['x-trace-id']);

/**
 * Checks a handler's headers.
 * @source RFC 9110, section 5
 */
export function checkHandlerHeaders(headers: object): OrProblem<CheckedHeaders> {
  const list: HeaderList = [];
  let contentType: string | undefined;
  let encoded = false;
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (OURS.has(lower) || value === undefined) continue;
    if (lower === 'content-type' && contentType !== undefined) return unusableResult('the header "content-type" is given twice');
    const fault = nameFault(name, lower) ?? addValues(list, name, value);
    if (fault) return unusableResult(fault);
    if (lower === 'content-type') contentType = String(value);
    if (lower === 'content-encoding') encoded = true;
  }
  return { list, contentType, encoded };
}

function nameFault(name: string, lower: string): string | undefined {
  if (!TOKEN.test(name)) return `${JSON.stringify(name)} is not a header name`;
  return FORBIDDEN.has(lower) ? `the header "${name}" is set by the engine` : undefined;
}

function addValues(list: HeaderList, name: string, value: unknown): string | undefined {
  for (const item of Array.isArray(value) ? value as unknown[] : [value]) {
    if (typeof item !== 'string' && typeof item !== 'number') return `the header "${name}" is neither a string nor a list of strings`;
    const text = String(item);
    if (BAD_VALUE.test(text)) return `the header "${name}" contains characters that cannot be sent`;
    list.push(name, text);
  }
  return undefined;
}
