import type { StepRecord, TriggerRecord, TriggerRef } from '../step-record.js';
import { token } from '../token.js';
import type { TriggerKindSpec } from '../trigger-kind.js';
import type { Unsubscribe } from '../unsubscribe.js';

/** How a module takes in Steps of its kind. Throwing disables the trigger and shows the text as a diagnostic. */
export interface TriggerKindBinding {
  bind(step: StepRecord, trigger: TriggerRecord, ref: TriggerRef): void;
  unbind(step: StepRecord, trigger: TriggerRecord, ref: TriggerRef): void;
}

export interface DeclaredTriggerKind extends TriggerKindSpec {
  /** Class of the module that declares it. */
  readonly owner: string;
  /** Why a Step with `atomic: true` cannot have such a trigger, and what to do; absent: it can. */
  readonly notAtomic?: { readonly problem: string; readonly remedy: string } | undefined;
}

/** What starts Steps: for modules that serve a kind of trigger. */
export interface Triggers {
  /** Kinds that the loaded modules declare. */
  kinds(): readonly DeclaredTriggerKind[];
  /** Binds now and later: Steps already in the catalog are bound at once. */
  bind(type: string, binding: TriggerKindBinding): Unsubscribe;
}
export const Triggers = token<Triggers>('engine.Triggers');
