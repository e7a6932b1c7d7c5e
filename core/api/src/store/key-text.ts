/**
 * Names as stores keep them. Many can hold neither NUL nor half a surrogate pair, and some use NUL to separate; both
 * are written with U+0001 as escape. The order of the UTF-8 bytes stays as it is for all well-formed text.
 */
const SPECIAL = /[\0\u0001\ud800-\udfff]/u;
const SPECIALS = new RegExp(SPECIAL, 'gu');
const ESCAPED = /\u0001(?:([\u0001\u0002])|\u0003([0-9a-f]{4}))/g;

/** Text of a group or key for the database. Prefixes of the text become prefixes of the result. */
export function encodeKey(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, escape) : text;
}

/** Reverses `encodeKey`. */
export function decodeKey(text: string): string {
  if (!text.includes('\u0001')) return text;
  return text.replace(ESCAPED, (_all, simple: string | undefined, hex: string) => {
    if (simple !== undefined) return simple === '\u0001' ? '\0' : '\u0001';
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
}

function escape(char: string): string {
  if (char === '\0') return '\u0001\u0001';
  if (char === '\u0001') return '\u0001\u0002';
  return `\u0001\u0003${char.charCodeAt(0).toString(16)}`;
}
