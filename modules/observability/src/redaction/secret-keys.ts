import { looksSecret } from '@treadle/api';

/** Of each word: `refreshTokens.first`. */
const PLURAL = /s(?=$|[^a-z0-9]|[A-Z])/g;
/** Bounded, because keys may come from user input. */
const MAX_KNOWN_KEYS = 2000;
const known = new Map<string, boolean>();

/** True when the key says, as a whole word, that its value is a secret. */
export function isSecretKey(key: string): boolean {
  const before = known.get(key);
  if (before !== undefined) return before;
  const secret = looksSecret(key) || looksSecret(key.replace(PLURAL, ''));
  if (known.size >= MAX_KNOWN_KEYS) known.clear();
  known.set(key, secret);
  return secret;
}
