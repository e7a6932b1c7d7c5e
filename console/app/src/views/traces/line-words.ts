import type { Line } from './timeline.js';

/** What a line of a waterfall is called. */
export function nameOf({ type, span }: Line): string {
  if (type === 'wait') return span.wait?.kind === 'backoff' ? 'retry backoff' : 'waiting in the queue';
  if (span.kind === 'consumer' && span.stepName !== '') return `${span.stepName}${(span.attempt ?? 1) > 1 || span.error ? ` attempt ${span.attempt ?? 1}` : ''}`;
  return span.name.replace(/^queue\.publish /, 'enqueue ');
}

/** What a span was about, shown where there is room. */
export function tagOf({ span: { attributes, kind } }: Line): string {
  const text = (name: string): string => String(attributes[name] ?? '');
  if (attributes['state.key'] !== undefined) return `${text('state.group')}/${text('state.key')}`;
  if (attributes['stream.name'] !== undefined) return [text('stream.name'), text('stream.group'), text('stream.id')].filter(Boolean).join('/');
  if (kind === 'consumer') return text('messaging.destination.name');
  if (attributes['http.response.status_code'] !== undefined) return text('http.response.status_code');
  return attributes['code.file.path'] === undefined ? '' : `${text('code.file.path')}:${text('code.line.number')}`;
}
