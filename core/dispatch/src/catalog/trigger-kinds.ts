import type { DeclaredTriggerKind, StepRecord, TriggerKindBinding, TriggerRecord, Triggers, Unsubscribe } from '@treadle/api';

/** Told of a trigger whose module refused it. */
export type BindingProblem = (step: StepRecord, trigger: TriggerRecord, error: unknown) => void;

/** Which module serves which kind of trigger. */
export class TriggerKinds implements Triggers {
  private readonly bindings = new Map<string, TriggerKindBinding>();

  /**
   * @param declared kinds of the plan that runs; a reload has others
   * @param steps what is in the catalog
   */
  constructor(public declared: readonly DeclaredTriggerKind[], private readonly steps: () => readonly StepRecord[], private readonly onProblem: BindingProblem) {}

  kinds(): readonly DeclaredTriggerKind[] {
    return this.declared;
  }

  bind(type: string, binding: TriggerKindBinding): Unsubscribe {
    this.bindings.set(type, binding);
    for (const step of this.steps()) this.each(step, 'bind', type);
    return () => {
      if (this.bindings.get(type) !== binding) return;
      for (const step of this.steps()) this.each(step, 'unbind', type);
      this.bindings.delete(type);
    };
  }

  /** Tells the modules of a Step that comes or goes. */
  each(step: StepRecord, action: 'bind' | 'unbind', only?: string): void {
    step.config.triggers.forEach((trigger, index) => {
      if (only !== undefined && trigger.type !== only) return;
      const binding = this.bindings.get(trigger.type);
      if (!binding) return;
      try {
        binding[action](step, trigger, { type: trigger.type, index });
      } catch (error) {
        this.onProblem(step, trigger, error);
      }
    });
  }
}
