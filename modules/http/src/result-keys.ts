import { type HttpResult, nearest } from '@treadle/api';
import type { Exchange } from './exchange.js';

const KEYS: readonly string[] = ['status', 'body', 'headers'];
/** Keys of one route that are told: a handler may make them up as it goes. */
const MAX_TOLD = 50;

/**
 * What is wrong with the keys of a result: in development the text of the refusal, for the first request with a misspelt `body` shall be
 * the one that tells. In production the answer goes out, and each key of a Step is logged once.
 */
export function keysFault(exchange: Exchange, { unknownKeys }: HttpResult): string | undefined {
  if (unknownKeys === undefined || unknownKeys.length === 0) return undefined;
  if (exchange.core.development) return unknownKeys.map(describe).join('; ');
  const told = exchange.route?.toldKeys;
  for (const key of unknownKeys) {
    if (!told || told.has(key) || told.size >= MAX_TOLD) continue;
    told.add(key);
    exchange.log('warn', 'a result has a key that means nothing', { error: describe(key) });
  }
  return undefined;
}

function describe(key: string): string {
  const meant = nearest(key, KEYS);
  return `a result has no key "${key}"${meant === undefined ? `; it has ${KEYS.join(', ')}` : `; did you mean "${meant}"?`}`;
}
