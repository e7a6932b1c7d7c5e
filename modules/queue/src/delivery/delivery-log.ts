import { type Clock, type LogLevel, type LogSink, type QueueDelivery, type Settlement, type StepFailure, wallTime } from '@treadle/api';
import type { DeliveryEnd } from './delivery-outcome.js';
import type { Attempt } from './delivery-run.js';

/** Where the records go, and the service that they name. */
export interface DeliveryLogParts {
  readonly sink: LogSink;
  readonly service: string;
  readonly clock: Clock;
}

/** Tells operators of deliveries that failed, in the trace and the name of the Step. */
export class DeliveryLog {
  constructor(private readonly parts: DeliveryLogParts) {}

  /** An attempt has ended in something else than success. What was handed back as it was is no failure. */
  ended({ outcome, settlement }: DeliveryEnd, attempt: Attempt, failure: StepFailure | undefined): void {
    if (settlement.action === 'dead') this.write('error', 'a message became a dead letter', attempt, { reason: settlement.reason, ...told(attempt, settlement, failure) });
    else if (outcome === 'retry' || outcome === 'crashed') this.write('warn', 'a handler failed; its message will be delivered again', attempt, told(attempt, settlement, failure));
  }

  private write(level: LogLevel, message: string, { consumer, traceId, spanId }: Attempt, fields: Readonly<Record<string, unknown>>): void {
    const { sink, service, clock } = this.parts;
    sink.write({ timestamp: new Date(wallTime(clock)).toISOString(), level, message, traceId, spanId, service, stepName: consumer.step, fields });
  }
}

function told({ consumer: { topic }, delivery }: Attempt, settlement: Settlement, failure: StepFailure | undefined): Readonly<Record<string, unknown>> {
  const { attempts, deaths } = 'progress' in settlement ? settlement.progress : delivery.progress;
  return {
    ...whose(topic, delivery), attempts, ...(deaths > 0 && { deaths }),
    ...('dueAt' in settlement && settlement.dueAt !== undefined && { againAt: new Date(settlement.dueAt).toISOString() }),
    ...(failure && { code: failure.code, error: failure.message, errorName: failure.detail.errorName, stack: failure.detail.stack }),
  };
}

const whose = (topic: string, { messageId, kind }: QueueDelivery): object => (topic === '' ? { messageId, trigger: kind } : { messageId, topic });
