import type { SpanRow, TraceView } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { endOf, replyOf } from './timeline.js';

/** A trace to be pasted where people speak about it: how it went, what took the time, what failed, and its spans. */
export function traceMarkdown({ rows, traceId, path, omitted }: TraceView): string {
  const steps = [...new Set(rows.flatMap(({ stepName }) => (stepName === '' ? [] : [stepName])))];
  const reply = replyOf(rows);
  const failed = rows.filter(({ error }) => error);
  return [
    `## ${escaped(rows[0]?.name ?? 'Trace')}: ${escaped(endOf(rows).words)}`, '',
    `- trace \`${traceId}\`, ${new Date(path.startTime).toISOString()}`,
    `- ${reply === undefined ? '' : `reply after ${duration(reply)}, `}last effect after ${duration(path.durationMs)}`,
    `- ${plural(rows.length + omitted, 'span')}${steps.length > 0 ? ` in ${steps.map((step) => `\`${step}\``).join(', ')}` : ''}`,
    ...Object.keys(path.byKind).length > 0 ? [`- critical path: ${Object.entries(path.byKind).map(([kind, ms]) => `${kind} ${duration(ms)}`).join(', ')}`] : [],
    ...failed.length > 0 ? ['', '### Errors', '', ...failed.map(({ name, stepName, error }) => `- ${escaped(name)}${stepName === '' ? '' : ` (\`${stepName}\`)`}: **${error?.type ?? ''}** ${escaped(error?.message ?? '')}`)] : [],
    '', '### Spans', '', ...rows.flatMap(lines), ...omitted > 0 ? [`- … ${omitted} further spans`] : [], '',
  ].join('\n');
}

function lines(span: SpanRow): readonly string[] {
  const indent = '  '.repeat(span.depth);
  const wait = span.wait ? [`${indent}- _${span.wait.kind === 'backoff' ? 'retry backoff' : 'waiting in the queue'} ${duration(span.wait.durationMs)}_`] : [];
  const attempt = (span.attempt ?? 1) > 1 ? `, attempt ${span.attempt ?? ''}` : '';
  return [...wait, `${indent}- ${escaped(span.name)}${span.stepName && span.kind === 'consumer' ? ` (\`${span.stepName}\`)` : ''}${attempt} ${duration(span.durationMs)}${span.error ? ` **${span.error.type}**` : ''}`];
}

/** Text of others stays text, on one line. */
function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>|#]/g, '\\$&');
}
