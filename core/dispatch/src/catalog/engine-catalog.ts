import type { CatalogChange, CatalogWriter, DeclaredTriggerKind, StepId, StepRecord, Unsubscribe } from '@treadle/api';
import { type BindingProblem, TriggerKinds } from './trigger-kinds.js';

const MAX_FORMER = 100;

/** The Steps of the engine. Its triggers learn of those that come and go before anybody else does. */
export class EngineCatalog implements CatalogWriter {
  readonly triggers: TriggerKinds;
  /** False while Steps may be missing that are about to come. */
  settled = true;
  private records = new Map<StepId, StepRecord>();
  /** Removed Steps whose handlers may still be running; the last few. */
  private readonly former = new Map<StepId, StepRecord>();
  private readonly listeners = new Set<(change: CatalogChange) => void>();
  private readonly settledListeners = new Set<(settled: boolean) => void>();

  constructor(kinds: readonly DeclaredTriggerKind[], onProblem: BindingProblem) {
    this.triggers = new TriggerKinds(kinds, () => this.steps(), onProblem);
  }

  steps(): readonly StepRecord[] {
    return [...this.records.values()];
  }

  step(id: StepId): StepRecord | undefined {
    return this.records.get(id);
  }

  /** Also a Step that was removed while its handler ran. */
  known(id: StepId): StepRecord | undefined {
    return this.records.get(id) ?? this.former.get(id);
  }

  onChange(listener: (change: CatalogChange) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Steps leave before others come, so that a route or topic may change hands in one go. */
  publish(records: readonly StepRecord[]): CatalogChange {
    const change = this.difference(records);
    const before = this.records;
    for (const step of change.removed) this.retire(step);
    for (const step of change.changed) this.triggers.each(before.get(step.id) as StepRecord, 'unbind');
    this.records = new Map(records.map((record) => [record.id, record]));
    for (const step of [...change.changed, ...change.added]) this.triggers.each(step, 'bind');
    if (change.added.length + change.removed.length + change.changed.length > 0) {
      for (const listener of this.listeners) listener(change);
    }
    return change;
  }

  settle(settled: boolean): void {
    if (settled === this.settled) return;
    this.settled = settled;
    for (const listener of [...this.settledListeners]) listener(settled);
  }

  onSettled(listener: (settled: boolean) => void): Unsubscribe {
    this.settledListeners.add(listener);
    return () => this.settledListeners.delete(listener);
  }

  private retire(step: StepRecord): void {
    this.triggers.each(step, 'unbind');
    this.former.set(step.id, step);
    const oldest = this.former.keys().next().value;
    if (this.former.size > MAX_FORMER && oldest !== undefined) this.former.delete(oldest);
  }

  private difference(records: readonly StepRecord[]): CatalogChange {
    const ids = new Set(records.map((record) => record.id));
    return {
      added: records.filter((record) => !this.records.has(record.id)),
      changed: records.filter((record) => {
        const known = this.records.get(record.id);
        return known !== undefined && known.configHash !== record.configHash;
      }),
      removed: this.steps().filter((record) => !ids.has(record.id)),
    };
  }
}
