import type { Logger, RuntimeAdapter, RuntimeHost, RuntimeStatus, RuntimeWorker, StepFile, WorkerCrash } from '@treadle/api';

export interface RuntimeSetOptions {
  readonly runtimes: readonly RuntimeAdapter[];
  readonly log: Logger;
  /** Told when the state of a worker changed. */
  readonly onChange: () => void;
}

const KEPT_CRASHES = 20;

/** The runtimes of one engine: launches each when it has files, keeps what is known of their workers. */
export class RuntimeSet {
  /** Newest first. */
  readonly crashes: WorkerCrash[] = [];
  private readonly launched = new Set<RuntimeAdapter>();

  constructor(private readonly options: RuntimeSetOptions) {}

  /** Hands each runtime its files. One without any is not launched: no process for nothing. */
  async assign(byRuntime: ReadonlyMap<RuntimeAdapter, readonly StepFile[]>, host: RuntimeHost): Promise<void> {
    await Promise.all([...byRuntime].map(async ([runtime, files]) => {
      if (this.launched.has(runtime)) return runtime.update(files);
      if (files.length === 0) return undefined;
      this.launched.add(runtime);
      return runtime.launch(host, files);
    }));
  }

  workers(): readonly RuntimeWorker[] {
    return [...this.launched].flatMap((runtime) => runtime.workers().map((worker) => ({ ...worker, runtime: runtime.name })));
  }

  crashed(crash: WorkerCrash): void {
    this.crashes.unshift(crash);
    this.crashes.length = Math.min(this.crashes.length, KEPT_CRASHES);
    const { output, ...fields } = crash;
    this.options.log.error('a worker ended', { ...fields, output: lastLines(output) });
    this.options.onChange();
  }

  /** How the workers are, in the words of `GET /health`. */
  health(): { readonly status: RuntimeStatus; readonly message?: string } {
    const workers = this.workers();
    const looping = workers.filter((worker) => worker.state === 'crash_looping');
    if (workers.some((worker) => !worker.settled)) return { status: 'starting' };
    if (looping.length === 0) return { status: 'ok' };
    return { status: 'degraded', message: looping.map((worker) => this.describe(worker)).join('; ') };
  }

  /** Ends all workers; those that still run something have until `deadlineMs` from now. */
  async retire(deadlineMs: number): Promise<void> {
    const ended = await Promise.allSettled([...this.launched].map((runtime) => runtime.retire?.(deadlineMs) ?? Promise.resolve()));
    for (const result of ended) {
      if (result.status === 'rejected') this.options.log.warn('a runtime did not end its workers', { reason: String(result.reason) });
    }
    this.launched.clear();
  }

  private describe(worker: RuntimeWorker): string {
    const last = this.crashes.find((crash) => crash.runtime === worker.runtime && crash.worker === worker.worker);
    return `${worker.runtime} worker ${worker.worker} crashes again and again: ${last?.reason ?? 'unknown reason'}`;
  }
}

/** The log gets the end of what a crash printed; all of it is in the crash itself. */
function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-20).join('\n').slice(-4000);
}
