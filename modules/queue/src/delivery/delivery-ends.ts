import type { Clock, StepFailure } from '@treadle/api';
import type { DeliveryLog } from './delivery-log.js';
import { type DeliveryEnd, type DeliveryOutcome, endOfFailure, released } from './delivery-outcome.js';
import type { Attempt, DeliveryRun } from './delivery-run.js';
import type { SettlementWriter } from './end-writer.js';
import type { FailedAttempt, QueueObserver } from '../telemetry/queue-observer.js';
import type { QueueRates } from '../telemetry/queue-rates.js';

/** How a run has ended. `committed`: its delivery with it; `void`: somebody else has that by now. */
export type RunEnd = 'done' | 'committed' | 'void' | StepFailure;

/** Where ends go. */
export interface DeliveryEndsParts {
  readonly settlements: SettlementWriter;
  readonly clock: Clock;
  readonly random: () => number;
  readonly rates?: QueueRates | undefined;
  readonly failures?: DeliveryLog | undefined;
}

/** Settles deliveries by what became of their runs, and tells whoever counts. */
export class DeliveryEnds {
  observer: QueueObserver | undefined;

  constructor(private readonly parts: DeliveryEndsParts) {}

  of(run: DeliveryRun, end: RunEnd): void {
    const { consumer: { settings }, delivery, began } = run;
    const { clock, settlements, random } = this.parts;
    const ms = clock.monotonic() - began;
    if (end === 'void') this.observer?.stale(1);
    else if (end === 'done' || end === 'committed') {
      if (end === 'done') settlements.add({ action: 'done', claim: delivery });
      this.delivered('done', ms, run);
    } else this.settle(endOfFailure(delivery, end, { settings, now: clock.now(), ms, random }), ms, run, end);
  }

  settle(end: DeliveryEnd, ms: number, attempt: Attempt, failure: StepFailure | undefined): void {
    const { outcome, settlement } = end;
    this.parts.settlements.add(settlement);
    this.parts.failures?.ended(end, attempt, failure);
    this.delivered(outcome, ms, attempt, failure && { failure, againAt: settlement.action === 'return' ? settlement.dueAt : undefined });
    if (settlement.action === 'dead') this.observer?.dead(settlement.reason);
  }

  /** Hands a delivery back as it was. */
  release(delivery: DeliveryRun['delivery']): void {
    this.parts.settlements.add(released(delivery).settlement);
  }

  private delivered(outcome: DeliveryOutcome, ms: number, attempt: Attempt, failed?: FailedAttempt): void {
    this.parts.rates?.ended(outcome, attempt);
    this.observer?.delivered(outcome, ms, attempt, failed);
  }
}
