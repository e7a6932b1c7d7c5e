import { looksSecret } from '@treadle/api';

/** Bounded, because keys may come from user input. */
const MAX_KNOWN_KEYS = 2_000;
const known = new Map<string, 'no' | 'one' | 'many'>();

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
