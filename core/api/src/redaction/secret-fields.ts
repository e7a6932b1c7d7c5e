import { looksSecret } from './secret-names.js';

/** Of each word: `refreshTokens.first`. */
const PLURAL = /s(?=$|[^a-z0-9]|[A-Z])/g;
/** Bounded, because keys may come from user input. */
const MAX_KNOWN_KEYS = 2_000;
const known = new Map<string, 'no' | 'one' | 'many'>();

/**
 * True when a value under this key must not be shown: in logs, spans, metrics and answers of the admin API alike.
 * A flag (`token: true`) and a count (`tokens: 12`) are shown; a number under a singular name (`pin: 4711`) is not.
 */
export function isSecretField(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  const secret = known.get(key) ?? classify(key);
  return secret === 'one' || (secret === 'many' && typeof value !== 'number');
}

function classify(key: string): 'no' | 'one' | 'many' {
  const found = looksSecret(key) ? 'one' : looksSecret(key.replace(PLURAL, '')) ? 'many' : 'no';
  if (known.size >= MAX_KNOWN_KEYS) known.clear();
  known.set(key, found);
  return found;
}
