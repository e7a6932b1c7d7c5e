import type { StepConfig } from './config.js';
import type { AnyMessage, CasesOf, EnqueueOptions, GuardsOf, Publish, RunContext } from './context.js';
import type { AddedOf } from './middleware.js';
import type { KindInput, StepInput, TriggersOf } from './step-input.js';
import type { TopicInput, TopicName } from './topic.js';

type TopicsOf<C extends StepConfig> = C extends { readonly enqueues: readonly (infer T)[] } ? T : never;

/** A message for one of the topics in the config's `enqueues`. */
export type EnqueueMessage<C extends StepConfig> =
  StepConfig extends C ? AnyMessage
    : TopicsOf<C> extends infer T
      ? (T extends unknown ? { readonly topic: T | TopicName<T>; readonly data: TopicInput<T> } & EnqueueOptions : never)
      : never;

/** `ctx.enqueue` of the handler of a config. */
export type Enqueue<C extends StepConfig> = Publish<EnqueueMessage<C>>;

/** Trigger kinds of a config with what each hands to the handler. */
type InputsOf<C extends StepConfig> = { readonly [Kind in TriggersOf<C>['type']]: KindInput<C, Kind> };

/** What `ctx.match` takes. */
export type MatchCases<C extends StepConfig> = CasesOf<InputsOf<C>, StepInput<C>>;

/** What `ctx.is` has. */
export type KindGuards<C extends StepConfig> = GuardsOf<InputsOf<C>>;

/** Second argument of a handler. */
export interface StepContext<C extends StepConfig = StepConfig> extends RunContext<EnqueueMessage<C>, InputsOf<C>, StepInput<C>> {}

type Each<M> = M extends readonly (infer One)[] ? One : M;
type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;

/** What the middleware of one trigger adds, all of it. */
type AddedBefore<T> = T extends { readonly middleware: infer M }
  ? Together<Each<M> extends infer One ? (One extends unknown ? { readonly all: AddedOf<One> } : never) : never> extends { readonly all: infer All } ? All : {}
  : {};

type Names<U> = U extends unknown ? keyof U : never;
type Value<U, Name extends PropertyKey> = U extends unknown ? (Name extends keyof U ? U[Name] : never) : never;
/** Members that all of a union have, and optional ones that some have. */
type Merged<U> = { readonly [Name in keyof U]: U[Name] } & { readonly [Name in Exclude<Names<U>, keyof U>]?: Value<U, Name> };

type Additions<C extends StepConfig> = TriggersOf<C> extends infer T ? (T extends unknown ? AddedBefore<T> : never) : never;

/** Second argument of the handler of a config: the context with what the middleware of its triggers has added. What not every trigger has is optional. */
export type ContextOf<C extends StepConfig> =
  StepConfig extends C ? StepContext<C> : [Names<Additions<C>>] extends [never] ? StepContext<C> : StepContext<C> & Merged<Additions<C>>;
