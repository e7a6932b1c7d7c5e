import type { PathKind, SpanRow } from '../../api/types.generated.js';

/** What a span is about, for its colour. */
export type SpanLook = 'http' | 'handler' | 'state' | 'stream' | 'queue' | 'other';

export function lookOf({ name, kind }: Pick<SpanRow, 'name' | 'kind'>): SpanLook {
  if (name.startsWith('handler ')) return 'handler';
  if (name.startsWith('state.')) return 'state';
  if (name.startsWith('stream.')) return 'stream';
  if (kind === 'producer' || kind === 'consumer') return 'queue';
  return kind === 'server' || kind === 'client' ? 'http' : 'other';
}

/** Kinds of the critical path in words, in the order of the legend. */
export const PATH_WORDS: Readonly<Record<PathKind, string>> = {
  handler: 'your code', 'queue wait': 'queue wait', 'retry backoff': 'retry backoff', state: 'state', stream: 'stream', queue: 'queue', network: 'network', idle: 'idle', other: 'engine',
};
