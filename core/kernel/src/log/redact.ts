import { REDACTED, looksSecret, redactUserInfo } from '@treadle/config';

const WORTH_A_LOOK = /:\/\/|-----BEGIN |eyJ|bearer\s/i;
const PEM = /-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g;
const JWT = /\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g;
const BEARER = /\b(bearer)\s+[\w.~+/=-]{6,}/gi;

/** Bounded, because keys may come from user input. */
const MAX_KNOWN_KEYS = 2_000;
const known = new Map<string, 'no' | 'one' | 'many'>();

/** Hides what has the shape of a secret: credentials in URLs, PEM blocks, JWTs, bearer tokens. @source reliability design, D-38 */
export function redactText(text: string): string {
  if (!WORTH_A_LOOK.test(text)) return text;
  return redactUserInfo(text).replace(PEM, REDACTED).replace(JWT, REDACTED).replace(BEARER, `$1 ${REDACTED}`);
}

/** True when a value under this key must not be shown. A count (`tokens: 12`) and a flag (`token: true`) tell nothing. */
export function isSecretField(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  const secret = classify(key);
  return secret === 'one' || (secret === 'many' && typeof value !== 'number');
}

function classify(key: string): 'no' | 'one' | 'many' {
  const before = known.get(key);
  if (before) return before;
  const plural = key.toLowerCase().endsWith('s') && looksSecret(key.slice(0, -1));
  const found = looksSecret(key) ? 'one' : plural ? 'many' : 'no';
  if (known.size >= MAX_KNOWN_KEYS) known.clear();
  known.set(key, found);
  return found;
}
