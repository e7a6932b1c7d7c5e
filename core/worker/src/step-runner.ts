import type { StepFile, StepFileReport } from '@treadle/protocol';
import type { RunnerHost } from './runner-host.js';
import type { InvokeInput, RunOutcome } from './running/invoke.js';

export interface StepRunnerOptions {
  /** Absolute folder of the application. */
  readonly root: string;
  readonly mode: 'development' | 'production';
  readonly host: RunnerHost;
  /** Absolute path of esbuild's main file. Default: the application's own. */
  readonly esbuild?: string | undefined;
  /** Folder for transformed TypeScript. Default: none is kept. */
  readonly cacheDir?: string | undefined;
  /** The Steps run inside the engine: ending the process throws `HandlerExit`. */
  readonly inProcess?: boolean | undefined;
}

/** Loads Step files and runs their handlers. */
export class StepRunner {
  readonly #options: StepRunnerOptions;

  constructor(options: StepRunnerOptions) {
    this.#options = options;
  }

  /** Serves exactly these files; one report each. Never rejects for a broken file. */
  load(files: readonly StepFile[]): Promise<readonly StepFileReport[]> {
    return Promise.resolve(files.map((file) => ({ ...file, steps: [], problem: { kind: 'import', message: this.#options.root } })));
  }

  /** Runs a handler; `done` is called exactly once. Never throws. */
  start(invoke: InvokeInput, done: (outcome: RunOutcome) => void): void {
    done({ ok: false, code: 'no_worker', message: invoke.step });
  }

  /** Aborts the signal of a running handler. */
  cancel(id: number, reason: string): void {
    void id;
    void reason;
  }

  /** Invocations that have not finished, streamed answers included. */
  get running(): number {
    return 0;
  }
}
