import type { Call, StepId } from '@treadle/api';

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
