import type { SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { endOf } from './timeline.js';

/** A trace to be pasted where people speak about it. */
export function traceMarkdown(rows: readonly SpanRow[], traceId: string): string {
  const lines = rows.flatMap((span) => {
    const indent = '  '.repeat(span.depth);
    const wait = span.wait ? [`${indent}- _${span.wait.kind === 'backoff' ? 'retry backoff' : 'waiting in the queue'} ${duration(span.wait.durationMs)}_`] : [];
    return [...wait, `${indent}- ${span.name}${span.stepName && span.kind === 'consumer' ? ` (${span.stepName})` : ''} ${duration(span.durationMs)}${span.error ? ` **${span.error.type}: ${span.error.message}**` : ''}`];
  });
  return [`**${rows[0]?.name ?? 'Trace'}** ${endOf(rows).words}, trace \`${traceId}\``, '', ...lines].join('\n');
}
