import type { CatalogChange, StepId, StepRecord, TriggerKindBinding, TriggerRecord, Unsubscribe } from '@treadle/api';

/** Told of a trigger whose module refused it. */
export type BindingProblem = (step: StepRecord, trigger: TriggerRecord, error: unknown) => void;

const MAX_FORMER = 100;

/** The Steps of the engine, and which module serves which of their triggers. */
export class Catalog {
  private steps = new Map<StepId, StepRecord>();
  /** Removed Steps whose handlers may still be running; the last few. */
  private readonly former = new Map<StepId, StepRecord>();
  private readonly kinds = new Map<string, TriggerKindBinding>();
  private readonly listeners = new Set<(change: CatalogChange) => void>();

  constructor(private readonly onProblem: BindingProblem) {}

  all(): readonly StepRecord[] {
    return [...this.steps.values()];
  }

  get(id: StepId): StepRecord | undefined {
    return this.steps.get(id);
  }

  /** Also a Step that was removed while its handler ran. */
  known(id: StepId): StepRecord | undefined {
    return this.steps.get(id) ?? this.former.get(id);
  }

  onChange(listener: (change: CatalogChange) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Steps leave before others come, so that a route or topic may change hands in one go. */
  publish(records: readonly StepRecord[]): CatalogChange {
    const change = this.difference(records);
    const before = this.steps;
    for (const step of change.removed) this.retire(step);
    for (const step of change.changed) this.each(before.get(step.id) as StepRecord, 'unbind');
    this.steps = new Map(records.map((record) => [record.id, record]));
    for (const step of [...change.changed, ...change.added]) this.each(step, 'bind');
    if (change.added.length + change.removed.length + change.changed.length > 0) {
      for (const listener of this.listeners) listener(change);
    }
    return change;
  }

  bindKind(type: string, binding: TriggerKindBinding): Unsubscribe {
    this.kinds.set(type, binding);
    for (const step of this.steps.values()) this.each(step, 'bind', type);
    return () => {
      if (this.kinds.get(type) !== binding) return;
      for (const step of this.steps.values()) this.each(step, 'unbind', type);
      this.kinds.delete(type);
    };
  }

  private retire(step: StepRecord): void {
    this.each(step, 'unbind');
    this.former.set(step.id, step);
    const oldest = this.former.keys().next().value;
    if (this.former.size > MAX_FORMER && oldest !== undefined) this.former.delete(oldest);
  }

  private difference(records: readonly StepRecord[]): CatalogChange {
    const ids = new Set(records.map((record) => record.id));
    return {
      added: records.filter((record) => !this.steps.has(record.id)),
      changed: records.filter((record) => {
        const known = this.steps.get(record.id);
        return known !== undefined && known.configHash !== record.configHash;
      }),
      removed: this.all().filter((record) => !ids.has(record.id)),
    };
  }

  private each(step: StepRecord, action: 'bind' | 'unbind', only?: string): void {
    step.config.triggers.forEach((trigger, index) => {
      if (only !== undefined && trigger.type !== only) return;
      const binding = this.kinds.get(trigger.type);
      if (!binding) return;
      try {
        binding[action](step, trigger, { type: trigger.type, index });
      } catch (error) {
        this.onProblem(step, trigger, error);
      }
    });
  }
}
