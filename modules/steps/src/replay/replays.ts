import type { StepFailure} from '@treadle/api';
import {
  AdminError, type CallAnswer, type Catalog, type Clock, formatTraceParent, type InvokeRequest, type Invoker, newSpanId, newTraceId, type SpanRecord, type StepResult, type Telemetry, timeOfDay, wallTime,
} from '@treadle/api';
import { type InputParts, meantText, textOf } from './input-parts.js';
import type { RecordedInput, RecordedInputs } from './recorded-inputs.js';

/** What a handler may take, and how long it may wait for a worker; milliseconds. */
const TIMEOUT_MS = 60_000;
const WAIT_MS = 10_000;

export interface ReplayParts {
  readonly inputs: RecordedInputs;
  readonly invoker: Invoker;
  readonly catalog: Catalog;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

/** A run that has begun. */
export interface Replay {
  readonly traceId: string;
  /** Root of the new trace. */
  readonly spanId: string;
  readonly step: string;
}

/** Runs handlers again with what they were started with. */
export class Replays {
  constructor(private readonly parts: ReplayParts) {}

  /** @throws {AdminError} 404 when nothing is kept of the span */
  recorded(spanId: string): RecordedInput & { readonly input: InputParts } {
    const found = this.parts.inputs.get(spanId);
    if (!found) throw new AdminError(404, 'not_recorded', `no input is kept of span "${spanId.slice(0, 32)}": it is no run of a handler, or older than those that are kept`);
    if (typeof found.input === 'string') throw new AdminError(404, 'not_recorded', `the input of span "${spanId}" is not kept: ${found.input}`);
    return found as RecordedInput & { readonly input: InputParts };
  }

  /**
   * Runs the Step of a handler's span again, and this Step alone: with the same input, or another one as JSON. It begins a trace, whose root links to the span. Retries
   * and dead letters are the queue's: here a failure is only told in the trace. @throws {AdminError} 404, 409
   */
  start(spanId: string, edited: string | undefined): Replay {
    const { invoker, catalog, clock } = this.parts;
    const recorded = this.recorded(spanId);
    const { step, trigger, message, input } = recorded;
    const now = catalog.step(step)?.config.triggers[trigger.index];
    if (now?.type !== trigger.type) throw new AdminError(409, 'trigger_gone', `Step "${step}" has no ${trigger.type} trigger any more in the place of the one that started the run`);
    const text = edited === undefined ? textOf(input) : meantText(edited, input);
    const [traceId, rootId] = [newTraceId(), newSpanId()];
    const request: InvokeRequest = {
      step, trigger, input: JSON.parse(text) as unknown, inputText: text, traceId, spanId: rootId, sampled: true, timeoutMs: TIMEOUT_MS, attempt: 1, lane: 'request', waitMs: WAIT_MS,
      ...message && { message: { ...message, messageId: `replay-${rootId}`, enqueuedAt: wallTime(clock) } },
    };
    const root = { traceId, spanId: rootId, began: clock.monotonic(), of: formatTraceParent(recorded.traceId, spanId, true), edited: edited !== undefined };
    invoker.start(request, this.answer(request, root));
    return { traceId, spanId: rootId, step };
  }

  private answer(request: InvokeRequest, root: Root): CallAnswer {
    return {
      succeeded: ({ http }: StepResult) => {
        http?.stream?.destroy();
        this.ended(request, root, { status: http?.status });
      },
      failed: (failure) => this.ended(request, root, { failure }),
    };
  }

  private ended({ step, trigger }: InvokeRequest, { traceId, spanId, began, of, edited }: Root, { status, failure }: { readonly status?: number | undefined; readonly failure?: StepFailure }): void {
    const { telemetry, clock } = this.parts;
    telemetry.span({
      traceId, spanId, name: `replay ${step}`, kind: 'internal', startTime: timeOfDay(began), durationMs: clock.monotonic() - began, stepName: '', error: errorOf(failure), links: [of],
      attributes: { 'step.name': step, 'step.trigger': trigger.type, 'replay.edited': edited, ...status !== undefined && { 'http.response.status_code': status } },
    });
  }
}

interface Root {
  readonly traceId: string;
  readonly spanId: string;
  readonly began: number;
  /** `traceparent` of the span that is run again. */
  readonly of: string;
  readonly edited: boolean;
}

/** The handler's span has the error of a handler; here it stands for what no handler got to see. */
function errorOf(failure: StepFailure | undefined): SpanRecord['error'] {
  return failure && { type: failure.detail.errorName ?? failure.code, message: failure.message };
}
