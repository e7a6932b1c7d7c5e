import type { SpanRow, StateChange, StateHistory } from '../../api/types.generated.js';

/** Whether a span wrote a key. */
export function isWrite({ attributes, error }: SpanRow): boolean {
  return attributes['state.key'] !== undefined && !error && !/^get|^list/.test(String(attributes['state.operation']));
}

/** What a history says of one write. */
export type Noted =
  | { readonly is: 'noted'; readonly change: StateChange }
  /** Before writes were noted. */
  | { readonly is: 'before' }
  /** It is too new for this answer, or its note went when others came. */
  | { readonly is: 'absent' };

export function notedOf({ items, since }: StateHistory, { traceId, startTime, attributes }: SpanRow): Noted {
  const revision = Number(attributes['state.rev.after'] ?? 0);
  const change = items.find((one) => one.traceId === traceId && (one.after?.revision ?? 0) === revision);
  if (change) return { is: 'noted', change };
  return { is: Date.parse(since) > startTime ? 'before' : 'absent' };
}
