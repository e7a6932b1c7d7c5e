import type { ConfigSchema } from './config-schema.js';
import type { Requirement } from './slot.js';
import type { TriggerRecord } from './step-record.js';

/** What is wrong with a trigger; `key` names the culprit. */
export interface TriggerIssue {
  readonly key?: string;
  /** Stable name for machines, e.g. `STEP_BAD_ROUTE`. */
  readonly code: string;
  readonly message: string;
  /** What to do. */
  readonly remedy: string;
  readonly severity?: 'error' | 'warning';
}

/** What a trigger asks of the adapter in a slot of its kind's module. */
export interface TriggerNeed extends Requirement {
  /** The key that asks for it. */
  readonly key: string;
  /** What it asks for, as the end of "the adapter … has no …", e.g. `order of messages`. */
  readonly what: string;
  /** What to write instead, e.g. `remove delaySeconds`. */
  readonly instead: string;
}

/** A `type` that Steps may list in `triggers`; known without building the module that serves it. */
export interface TriggerKindSpec {
  readonly type: string;
  readonly summary: string;
  /** Draft-07 schema of the trigger's keys, `type` excluded. User schemas have arrived as JSON Schema. */
  readonly schema: ConfigSchema;
  /**
   * Checks beyond the schema. Pure. Where some keys do not fit the schema it is asked about the others, so a required key may be
   * missing; what it then throws, or says of a missing key or of none, is not told.
   */
  readonly validate?: (trigger: TriggerRecord) => readonly TriggerIssue[];
  /**
   * What a trigger needs that an adapter may lack. A trigger whose adapter, with the config that it has, lacks it is reported as
   * `STEP_ADAPTER_LACKS` by a check and at the start, and its Step does not serve. Pure; asked as `validate` is.
   */
  readonly needs?: (trigger: TriggerRecord) => readonly TriggerNeed[];
  /** Two triggers with the same key cannot both serve, e.g. the route of an http trigger. Pure. */
  readonly exclusiveKey?: (trigger: TriggerRecord) => string | undefined;
  /**
   * Makes the queue deliver to triggers of this kind, with retries and dead letters: see `QueuePort.deliver`. The key tells a trigger from
   * others of its Step and should stay the same for as long as it means the same, e.g. the topic of a broker, and has 1 to 500 characters; undefined:
   * nothing is delivered to this one. `config` of such a trigger is the queue's: list `config: DELIVERY_CONFIG` in the schema, or no `config`. Pure.
   */
  readonly deliveryKey?: (trigger: TriggerRecord) => string | undefined;
  /**
   * The queue delivers to triggers of this kind, as it does to kinds with a `deliveryKey`: a Step with `atomic: true` may have them, where the
   * adapters can commit what it writes with the acknowledgement.
   */
  readonly queued?: true;
  /** How a trigger is printed, e.g. `GET /tickets/:id`. Default: the type. */
  readonly label?: (trigger: TriggerRecord) => string;
}

/** Something a handler can call through `ctx`; the wire protocol carries any name. */
export interface OperationSpec {
  /** `area.verb`, e.g. `mqtt.publish`; handlers call it as `ctx.call('mqtt.publish', { … })`. */
  readonly name: string;
  readonly summary: string;
  /**
   * Draft-07 schema of the arguments, which are one object. Others are refused with `InvalidValue`, and the operation is not asked.
   * Default: anything.
   */
  readonly args?: ConfigSchema;
  /**
   * It checks its arguments, writes its own span, fails with an `OperationError` only and gives JSON. Default: the engine sees to all
   * of that; then the result may be anything that `JSON.stringify` takes.
   */
  readonly bare?: true;
}
