import type { OtherTrigger, Trigger } from './triggers.js';
import type { Topic } from './topic.js';

/** Declarative half of a Step. */
export interface StepConfig {
  /** Unique in the application; appears in logs as `stepName`. */
  readonly name: string;
  readonly description?: string | undefined;
  /** What starts the handler. Without any a Step is only drawn and needs no handler. */
  readonly triggers?: readonly (Trigger | OtherTrigger)[] | undefined;
  /** Topics that the handler may enqueue to. */
  readonly enqueues?: readonly (string | Topic)[] | undefined;
  /**
   * What the handler enqueues and writes to state and streams is stored together with the acknowledgement of its delivery, or not at all. Only with
   * triggers that the queue delivers: `queue`, `state`, `stream` and those of plugins with deliveries of their own. Default false.
   */
  readonly atomic?: boolean | undefined;
  /** Flows that the Step belongs to in diagrams. */
  readonly flows?: readonly string[] | undefined;
  /** Only drawn. */
  readonly virtualEnqueues?: readonly (string | Topic)[] | undefined;
  /** Only drawn. */
  readonly virtualSubscribes?: readonly (string | Topic)[] | undefined;
}
