import { safeError } from '../redaction/safe-span.js';
import type { SpanRing } from './span-ring.js';

/** A run of a Step's handler that failed. */
export interface StepFailure {
  readonly traceId: string;
  /** The span of the handler. */
  readonly spanId: string;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly durationMs: number;
  readonly error: { readonly type: string; readonly message: string; readonly stack?: string | undefined };
}

/** Runs of a Step that failed, the latest first, as far as their spans are kept. */
export function failuresOf(ring: SpanRing, step: string, most: number): readonly StepFailure[] {
  const found: StepFailure[] = [];
  for (let row = ring.end - 1; row >= ring.oldest && found.length < most; row -= 1) {
    if (ring.stepName(row) !== step || !ring.failed(row) || ring.kind(row) !== 'internal' || ring.attributesOf(row)['step.name'] === undefined) continue;
    const { traceId, spanId, startTime, durationMs, error } = ring.span(row);
    found.push({ traceId, spanId, startTime, durationMs, error: safeError(error) ?? { type: 'Error', message: '' } });
  }
  return found;
}
