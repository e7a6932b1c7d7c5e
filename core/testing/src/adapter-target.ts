import type { Ctor } from '@treadle/api';
import type { Skip } from './runner.js';

/** Where an adapter under test keeps its data. */
export interface AdapterEnvironment<C> {
  readonly config: C;
  /** Of a store whose time an adapter goes by instead of `ModuleContext.clock`. */
  readonly storeTime?: StoreTime;
  cleanup(): Promise<void>;
}

/** The time of a store, which goes by itself until a test stops it. */
export interface StoreTime {
  /** From now on it goes only by `advance`. Called before the adapter starts, in tests whose clock stands still. */
  stop(): Promise<void>;
  /** Called whenever the clock of a test goes on, so that both stay together. */
  advance(ms: number): Promise<void>;
}

/** An adapter that a conformance kit is run on. */
export interface AdapterTarget<A, C, Caps> {
  /** Its `@Adapter` declaration gives the variants; what each can do comes from the plan. */
  readonly adapter: Ctor<A>;
  /**
   * What to import for the plugin that brings it (default export): a package's name or the URL of a file. A name or
   * URL rather than the plugin itself, because the kill test imports it in a process of its own.
   */
  readonly plugin: string;
  /** A fresh, isolated config; default: the variant's own, in a data directory of its own. */
  readonly env?: (variant: string) => Promise<AdapterEnvironment<C>>;
  readonly tune?: {
    /** Runs of each property; default 60 (a tenth of it for durable variants). */
    readonly runs?: number;
  };
  /** Tests that cannot hold. An unknown name or an empty reason fails the suite. */
  readonly skip?: readonly Skip[];
  /** Never present; carries the type. */
  readonly _capabilities?: Caps;
}
