import { type Call, parseTraceParent, type StepId, type WorkerLogEntry } from '@treadle/api';

/** In whose name something is logged. */
export interface LogOrigin {
  readonly traceId: string;
  readonly spanId: string;
  readonly step: StepId;
}

/** The handler of a call. */
export function logOrigin({ request, spanId = request.spanId }: Pick<Call, 'request' | 'spanId'>): LogOrigin {
  return { traceId: request.traceId, spanId, step: request.step };
}

/** The handler of a call that is over, as its worker tells it. */
export function lateOrigin({ traceparent, stepName = '' }: WorkerLogEntry): LogOrigin | undefined {
  const parent = traceparent === undefined ? undefined : parseTraceParent(traceparent);
  return parent && { traceId: parent.traceId, spanId: parent.parentId, step: stepName };
}
