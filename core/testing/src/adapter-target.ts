import type { Ctor } from '@treadle/api';
import type { BesideAdapters } from './adapter-harness.js';
import type { Skip } from './runner.js';

/** An adapter that a conformance kit is run on. */
export interface AdapterTarget<A, C, Caps> {
  /** Its `@Adapter` declaration gives the variants; what each can do comes from the plan. */
  readonly adapter: Ctor<A>;
  /**
   * What to import for the plugin that brings it (default export): a package's name or the URL of a file. A name or
   * URL rather than the plugin itself, because the kill test imports it in a process of its own, and so does each of several engines:
   * these import what was built in `dist` of a file in `src`, unless something in `src` was changed since.
   */
  readonly plugin: string;
  /** A fresh, isolated config; default: the variant's own, in a data directory of its own. */
  readonly env?: (variant: string) => Promise<{ readonly config: C; cleanup(): Promise<void> }>;
  /**
   * For an adapter that goes by the time of a store in another process: makes that store's time `now` (milliseconds since the epoch) and
   * lets it stand still there, or go on with the machine's again when `now` is undefined. The kit calls it whenever it moves its clock.
   */
  readonly storeTime?: (config: C, now: number | undefined) => Promise<void>;
  /**
   * Adapters of the plugin that keep state and streams in the store of such a config, by slot: needed for a queue that declares them in its
   * `commit`.
   */
  readonly beside?: (config: C) => BesideAdapters;
  readonly tune?: {
    /** Runs of each property; default 60 (a tenth of it for durable variants). */
    readonly runs?: number;
  };
  /** Tests that cannot hold. An unknown name or an empty reason fails the suite. */
  readonly skip?: readonly Skip[];
  /** Never present; carries the type. */
  readonly _capabilities?: Caps;
}
