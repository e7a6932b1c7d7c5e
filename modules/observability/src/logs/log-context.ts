import type { LogRecord } from '@treadle/api';
import type { LogRing } from './log-ring.js';
import { shown } from './log-search.js';

/** Which records count as the surroundings of one. */
export type LogScope = 'all' | 'step' | 'trace';

export interface LogContextQuery {
  readonly id: number;
  readonly before: number;
  readonly after: number;
  readonly scope: LogScope;
}

/** Records around one, the oldest first, and its index among them. */
export interface LogContext {
  readonly items: readonly (LogRecord & { readonly id: number })[];
  readonly at: number;
}

/** Undefined when the record is not kept any more. */
export function logContext(ring: LogRing, { id, before, after, scope }: LogContextQuery): LogContext | undefined {
  if (id < ring.oldest || id >= ring.end) return undefined;
  const centre = ring.record(id);
  const belongs = (at: number): boolean => {
    const { traceId, stepName } = ring.record(at);
    return scope === 'all' || (scope === 'step' ? stepName === centre.stepName : traceId === centre.traceId);
  };
  const ids = [id];
  for (let at = id - 1; at >= ring.oldest && ids.length <= before; at -= 1) if (belongs(at)) ids.unshift(at);
  const index = ids.length - 1;
  for (let at = id + 1; at < ring.end && ids.length - index <= after; at += 1) if (belongs(at)) ids.push(at);
  return { items: ids.map((at) => shown({ id: at, record: ring.record(at) })), at: index };
}
