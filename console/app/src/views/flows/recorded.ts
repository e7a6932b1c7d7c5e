import type { SpanRow } from '../../api/types.generated.js';

/** A time in which a node of the flow was busy: a Step ran, or a message waited in a topic. Milliseconds since the epoch. */
export interface Busy {
  readonly node: string;
  readonly kind: 'ran' | 'waited';
  readonly from: number;
  readonly to: number;
}

/** When which nodes were busy, as the spans of traces say. */
export function busyTimes(rows: readonly SpanRow[]): readonly Busy[] {
  return rows.flatMap(({ name, stepName, startTime, durationMs, wait, attributes }): Busy[] => {
    const waited = wait ? [{ node: `topic:${String(attributes['messaging.destination.name'])}`, kind: 'waited' as const, from: wait.startTime, to: wait.startTime + wait.durationMs }] : [];
    const ran = name.startsWith('handler ') ? [{ node: `step:${stepName}`, kind: 'ran' as const, from: startTime, to: startTime + durationMs }] : [];
    return [...waited, ...ran];
  });
}

export function busyAt(times: readonly Busy[], at: number): readonly Busy[] {
  return times.filter(({ from, to }) => from <= at && at <= to);
}

/** The moments at which something begins, in order: where a person who moves through the time stops. */
export function momentsOf(times: readonly Busy[]): readonly number[] {
  return [...new Set(times.map(({ from }) => from))].sort((a, b) => a - b);
}
