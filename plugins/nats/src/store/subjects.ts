/** Names that can be a token of a subject as they are. */
const PLAIN = /^[A-Za-z0-9_-]{1,100}$/;
const UNPAIRED = /\p{Surrogate}/u;

/**
 * A token of a subject for any text. Subjects have an alphabet of their own: plain names stay readable behind an `n`, others are the
 * base64url of their UTF-8 behind a `u`, and of their UTF-16 behind a `w` where half a surrogate pair has no UTF-8.
 */
export function tokenOf(text: string): string {
  if (PLAIN.test(text)) return `n${text}`;
  return UNPAIRED.test(text) ? `w${Buffer.from(text, 'utf16le').toString('base64url')}` : `u${Buffer.from(text, 'utf8').toString('base64url')}`;
}

/** Reverses `tokenOf`. */
export function textOfToken(token: string): string {
  const rest = token.slice(1);
  if (token.startsWith('n')) return rest;
  return Buffer.from(rest, 'base64url').toString(token.startsWith('w') ? 'utf16le' : 'utf8');
}

/** The token at a place of a subject, from 0, counted behind a prefix. */
export function textAt(subject: string, prefix: string, place: number): string {
  return textOfToken(subject.slice(prefix.length).split('.')[place] ?? '');
}
