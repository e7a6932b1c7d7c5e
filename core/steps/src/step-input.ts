import type { StepConfig } from './config.js';
import type { CronInput, HttpRequest, PathParams, StateChange, StreamChange } from './input.js';
import type { OutputOf } from './schema.js';
import type { TopicOutput } from './topic.js';
import type { OtherTrigger, Trigger } from './triggers.js';

/** `unknown` where a trigger has no schema of that name. */
type Validated<T, Key extends string, Otherwise> =
  T extends { readonly [K in Key]: infer S } ? (S extends undefined ? Otherwise : OutputOf<S>) : Otherwise;

type HttpInputOf<T> = T extends { readonly path: infer P extends string }
  ? HttpRequest<Validated<T, 'bodySchema', unknown>, PathParams<P>, Validated<T, 'querySchema', Record<string, string>>,
      Validated<T, 'headersSchema', Record<string, string>>>
  : HttpRequest;

type QueueInputOf<T> = T extends { readonly topic: infer Name } ? Validated<T, 'input', TopicOutput<Name>> : unknown;

/** First argument for one trigger. */
export type TriggerInput<T> = T extends { readonly type: infer Kind }
  ? Kind extends 'http' ? HttpInputOf<T>
  : Kind extends 'queue' ? QueueInputOf<T>
  : Kind extends 'cron' ? CronInput
  : Kind extends 'state' ? StateChange
  : Kind extends 'stream' ? StreamChange
  : unknown
  : unknown;

/** The triggers of a config as a union. */
export type TriggersOf<C extends StepConfig> =
  StepConfig extends C ? Trigger | OtherTrigger
    : C extends { readonly triggers: readonly (infer T extends Trigger | OtherTrigger)[] } ? T : never;

/** Triggers of one kind. */
export type TriggerOfKind<C extends StepConfig, Kind> =
  TriggersOf<C> extends infer T ? (T extends { readonly type: Kind } ? T : never) : never;

/** First argument for the triggers of one kind. */
export type KindInput<C extends StepConfig, Kind> =
  TriggerOfKind<C, Kind> extends infer T ? (T extends unknown ? TriggerInput<T> : never) : never;

/** First argument of the handler: a union over all triggers of the config. */
export type StepInput<C extends StepConfig> =
  TriggersOf<C> extends infer T ? (T extends unknown ? TriggerInput<T> : never) : never;
