import type { CatalogChange, StepId, StepRecord } from '../step-record.js';
import { token } from '../token.js';
import type { Unsubscribe } from '../unsubscribe.js';

/** All Steps of the engine: for whoever has to know them. */
export interface Catalog {
  steps(): readonly StepRecord[];
  step(id: StepId): StepRecord | undefined;
  onChange(listener: (change: CatalogChange) => void): Unsubscribe;
  /** False while Steps may be missing that are about to come: from a start until their processes have registered. */
  readonly settled: boolean;
  /** Told when the catalog became whole, or is no longer so. */
  onSettled(listener: (settled: boolean) => void): Unsubscribe;
}
export const Catalog = token<Catalog>('engine.Catalog');

/** The same for the one module that says what is in it. */
export interface CatalogWriter extends Catalog {
  /** Replaces the catalog; bindings of Steps whose config did not change stay as they are. */
  publish(steps: readonly StepRecord[]): CatalogChange;
  /** Says whether the catalog is whole. */
  settle(settled: boolean): void;
}
export const CatalogWriter = token<CatalogWriter>('engine.CatalogWriter');
