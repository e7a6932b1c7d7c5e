import type { Setups, Step } from 'treadle';
import type { TestOperations } from './test-operations.js';

/** What a test engine runs; everything has a default. */
export interface TestEngineOptions {
  /** Folder of the application. Default: the nearest one with a package.json, from the working directory upwards. */
  readonly root?: string;
  /**
   * Which Steps: files or folders, relative to the root, or Steps that `step()` made. Default: all of the application. Declarations of
   * streams come with the files.
   */
  readonly steps?: readonly string[] | readonly Step[];
  /** Configuration file, relative to the root. Default: `config.yaml` when there is one. Stores are in memory, whatever it says. */
  readonly config?: string;
  /**
   * Values in the place of what `*.setup.ts` would open, by name; handlers read them as `ctx.setup`. They are neither opened nor closed. Default:
   * setups are opened when the engine is made, and closed by `stop()`.
   */
  readonly setups?: { readonly [Name in keyof Setups]?: unknown };
  /** For `${VAR}` in the configuration and the variables that `*.env.ts` declares. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Time at which the clock stands at first. Default: now. */
  readonly now?: Date | number;
  /**
   * Functions in the place of operations that handlers call by `ctx.call`, by name. Each takes the arguments and who calls, and gives the
   * result or throws; an `OperationError` reaches the handler as it is. Their arguments are checked as those of the plugin are.
   */
  readonly operations?: TestOperations;
  /**
   * Class IDs of modules that the test does without, such as one that would open a connection: their trigger kinds and operations stay
   * known, but nothing of them runs.
   */
  readonly without?: readonly string[];
  /** How long `untilIdle` waits, unless it is told otherwise; milliseconds of real time. Default 10,000. */
  readonly timeoutMs?: number;
}
