import {
  type Attributes, type Call, type Catalog, codeAttributes, type HandlerSpanNotes, type InvokeRequest, parentOf, type SpanRecord, type StepFailure, type Telemetry,
  timeOfDay, type Unsubscribe,
} from '@treadle/api';
import type { RecordedInputs } from '../replay/recorded-inputs.js';

/** What the runs of one trigger have in common. */
interface TriggerSpan {
  readonly name: string;
  /** Of first attempts; later ones say which they are. */
  readonly attributes: Attributes;
}

/** Refusals that are no fault of the handler: the condition was not met, or a client sent what the Step does not take. */
const NOT_MET = 'condition_not_met';
const INVALID = 'validation_failed';

/** Writes the spans of handlers. */
export class HandlerSpans {
  private readonly triggers = new Map<string, TriggerSpan[]>();
  private readonly unsubscribe: Unsubscribe;

  /** @param inputs keeps what runs were started with; absent: nobody does */
  constructor(private readonly telemetry: Telemetry, private readonly catalog: Catalog, private readonly inputs?: RecordedInputs) {
    this.unsubscribe = catalog.onChange(() => this.triggers.clear());
  }

  /**
   * Times are those of the monotonic clock. The span is as long as the handler took in its own process, in the middle of what
   * it took here: nobody knows how the rest divides into the ways there and back.
   */
  ended(call: Call, began: number, ended: number, failure: StepFailure | undefined): void {
    const { request, report, spanId } = call;
    if (spanId === undefined) return;
    this.inputs?.note(spanId, request);
    const elapsed = ended - began;
    const ms = report?.ms === undefined || report.ms > elapsed || report.ms < 0 ? elapsed : report.ms;
    const { name, attributes } = this.triggerSpan(request);
    const notes = report?.span;
    this.telemetry.span({
      traceId: request.traceId, spanId, parentSpanId: parentOf(request.spanId), name, kind: 'internal',
      startTime: timeOfDay(began + (elapsed - ms) / 2), durationMs: ms, error: errorOf(request, failure, notes), stepName: request.step,
      attributes: request.attempt === 1 && notes?.attributes === undefined ? attributes : { ...notes?.attributes, ...attributes, 'step.attempt': request.attempt },
      events: notes?.events, links: notes?.links,
    });
  }

  close(): void {
    this.unsubscribe();
  }

  private triggerSpan({ step, trigger: { type, index } }: InvokeRequest): TriggerSpan {
    let spans = this.triggers.get(step);
    if (spans === undefined) this.triggers.set(step, spans = []);
    return spans[index] ??= this.make(step, type);
  }

  private make(step: string, type: string): TriggerSpan {
    const record = this.catalog.step(step);
    const attributes = Object.freeze({
      'step.name': step, 'step.trigger': type, 'step.attempt': 1, 'code.function.name': 'handler', ...(record && codeAttributes(record)),
    });
    return { name: `handler ${step}`, attributes };
  }
}

function errorOf({ trigger }: InvokeRequest, failure: StepFailure | undefined, notes: HandlerSpanNotes | undefined): SpanRecord['error'] {
  if (failure === undefined || failure.code === NOT_MET || (failure.code === INVALID && trigger.type === 'http')) return notes?.error;
  const { code, message, detail: { errorName, stack } } = failure;
  return { type: errorName ?? code, message, stack };
}
