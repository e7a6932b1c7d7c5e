import type { Env } from './environment.js';
import type { StepLogger } from './logger.js';

/**
 * What `ctx.setup` has in this application, by the name of the file: `db` of `db.setup.ts`. `treadle generate types` writes it; by hand:
 * `declare module 'treadle' { interface Setups { db: SetupOf<typeof import('./db.setup.js')> } }`.
 */
export interface Setups {}

/** What `open` is given. */
export interface SetupContext {
  /** The name that handlers read it by. */
  readonly name: string;
  /** Variables that `*.env.ts` declares, checked. */
  readonly env: Env;
  readonly logger: StepLogger;
  /** Aborts when the time for opening is over, or the process ends. */
  readonly signal: AbortSignal;
}

/** Something that a Step process opens once and its handlers share, such as a pool of connections. */
export interface Setup<Value> {
  /** Runs before the first handler; it is tried again, with growing pauses, when it throws. */
  readonly open: (context: SetupContext) => Value | Promise<Value>;
  /** Runs when no handler uses the value any more: the process ends, or another version of the file has taken its place. */
  readonly close?: ((value: Value) => unknown) | undefined;
  /** Longest time that `open` may take, in milliseconds. Default 10,000. */
  readonly openTimeoutMs?: number | undefined;
  /** Longest time that `close` is waited for, in milliseconds. Default 5,000. */
  readonly closeTimeoutMs?: number | undefined;
}

/** Type of the value that a setup opens; of the setup itself, or of the module that exports it. */
export type SetupOf<S> = S extends { readonly default: infer Exported } ? SetupOf<Exported>
  : S extends { readonly open: (...given: never[]) => infer Value } ? Awaited<Value> : unknown;

/** Types a setup: `export default setup({ open: async ({ env }) => new Pool(…), close: (pool) => pool.end() })` in a `*.setup.ts`. */
export function setup<Value>(given: Setup<Value>): Setup<Value> {
  return given;
}
