import type { Invoker, Logger, QueueAdapter, Telemetry, Turn } from '@treadle/api';
import type { CommitWriter } from './commit-writer.js';
import type { Consumers } from './consumers.js';
import type { DeliveryEndsParts } from './delivery-ends.js';

/** What the pump works with. */
export interface DeliveryPumpParts extends DeliveryEndsParts {
  readonly adapter: Pick<QueueAdapter, 'claimMany'>;
  readonly invoker: Invoker;
  readonly consumers: Consumers;
  readonly turn: Turn;
  readonly log: Logger;
  readonly telemetry?: Pick<Telemetry, 'tracing'> | undefined;
  /** Of deliveries to atomic Steps; absent where the adapter has no commits. */
  readonly commits?: CommitWriter | undefined;
  /** Most messages that wait in one subscription. */
  readonly maxWaiting: () => number;
  /** What was asked for longer ago may be somebody else's by now, as after a time in which the machine did not run this process; milliseconds. */
  readonly claimGoodMs: number;
}
