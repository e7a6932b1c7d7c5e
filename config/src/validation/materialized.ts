import type { TreadleError } from '@treadle/api';
import type { Place, PlaceKey } from './place.js';
import type { Origin } from './validated.js';

/** A config as plain values, and all that is known of them. */
export interface Materialized {
  readonly config: Readonly<Record<string, unknown>>;
  readonly origins: Record<string, Origin>;
  readonly places: Map<PlaceKey, Place>;
  readonly issues: TreadleError[];
  envCount: number;
}
