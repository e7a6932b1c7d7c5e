import { join } from 'node:path';
import {
  Adapter, type Clock, InjectConfig, type Logger, type ModuleContext, type RuntimeAdapter, type RuntimeCapabilities,
  type RuntimeHost, RuntimeSlot, type StepFile, type WorkerStatus,
} from '@treadle/api';
import { startStepProcess, StepWorkers } from '@treadle/dispatch/supervision';
import { BUILD_PROGRAMS } from '@treadle/protocol/build-lock';
import { isPythonStep } from '@treadle/worker/discover';
import { findPython, type FoundPython } from './find-python.js';
import { PYTHON_CHILD } from './python-package.js';
import { PythonConfig } from './python.config.js';

/** Files that health names. */
const MAX_NAMED = 10;

/** Runs Python Steps in child processes. */
@Adapter<PythonConfig, RuntimeCapabilities>({
  id: 'modules::runtime::adapters::Python',
  slot: RuntimeSlot,
  summary: 'Runs Python Steps in processes of their own.',
  stability: 'beta',
  since: '0.1.0',
  config: PythonConfig,
  capabilities: { isolation: true, kill: true, hotSwap: true, languages: ['python'] },
  variants: {
    default: { workers: 1, threads: 128, python_options: [] }, two_workers: { workers: 2, threads: 128, python_options: [] },
  },
})
export class PythonAdapter implements RuntimeAdapter {
  readonly name = 'python';
  private clock: Clock | undefined;
  private log: Logger | undefined;
  private report: ModuleContext['report'] | undefined;
  private host: RuntimeHost | undefined;
  private files: readonly StepFile[] = [];
  private processes: StepWorkers | undefined;
  /** While an interpreter is looked for. */
  private search: Promise<void> | undefined;
  private retired = false;
  /** There are Steps, and no interpreter that will do. */
  private lacking = false;

  constructor(@InjectConfig() private readonly config: PythonConfig) {}

  async init(context: Pick<ModuleContext, 'clock' | 'log' | 'report'>): Promise<void> {
    this.clock = context.clock;
    this.log = context.log;
    this.report = context.report;
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.retire(0);
  }

  serves(file: string): boolean {
    return isPythonStep(file);
  }

  /** Nobody waits for the interpreter: Steps of other languages start meanwhile. */
  async launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
    this.host = host;
    this.retired = false;
    this.update(files);
    return Promise.resolve();
  }

  /** Without an interpreter each change is a reason to look for one again. */
  update(files: readonly StepFile[]): void {
    this.files = files;
    if (files.length === 0) this.lacks(undefined);
    if (this.processes) this.processes.update(files);
    else if (files.length > 0) this.search ??= this.begin().finally(() => { this.search = undefined; });
  }

  async retire(deadlineMs: number): Promise<void> {
    this.retired = true;
    await this.search;
    const { processes } = this;
    this.processes = undefined;
    await processes?.retire(deadlineMs);
  }

  workers(): readonly WorkerStatus[] {
    if (!this.search) return this.processes?.statuses ?? [];
    return Array.from({ length: this.config.workers }, (_, worker) => ({ worker, state: 'starting', restarts: 0, settled: false }));
  }

  private async begin(): Promise<void> {
    const { host, config } = this;
    if (!host) return;
    const found = await findPython({ root: host.root, python: config.python, env: host.env });
    if (this.retired) return;
    if ('problem' in found) {
      host.refuse(this.files, { kind: 'interpreter', message: found.problem });
      this.lacks(found.problem);
    } else {
      this.lacks(undefined);
      this.log?.info('Python Steps run', { python: found.command, version: found.version });
      this.processes = this.makeProcesses(host, found);
      this.processes.start(this.files);
    }
    // `workers()` is another one from now on.
    setImmediate(() => host.statusChanged());
  }

  /** Health, told on change only. */
  private lacks(message: string | undefined): void {
    const isLacking = message !== undefined && this.files.length > 0;
    if (isLacking) this.report?.('degraded', { message: `${message}; not served: ${listed(this.files)}` });
    else if (this.lacking) this.report?.('ok');
    this.lacking = isLacking;
  }

  private makeProcesses(host: RuntimeHost, { command }: FoundPython): StepWorkers {
    const { clock, config, name: runtime } = this;
    if (!clock) throw new Error('launch() before init()');
    // Unbuffered, so that what a process prints is known when it dies.
    const program = host.dist === undefined ? [PYTHON_CHILD] : [join(host.dist, BUILD_PROGRAMS.python), '--child'];
    const args = ['-u', ...config.python_options, ...program];
    const launch = (): ReturnType<typeof startStepProcess> => startStepProcess({ command, args, cwd: host.root, env: host.env });
    const start = { threads: config.threads };
    return new StepWorkers({ count: config.workers, runtime, launch, start, clock, host });
  }
}

/** The first few files by name. */
function listed(files: readonly StepFile[]): string {
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
  return files.slice(0, MAX_NAMED).map(({ file }) => file).join(', ') + more;
}
