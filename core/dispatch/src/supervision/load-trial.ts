import type { StepFile, StepFileProblem } from '@treadle/protocol';
import { LOAD_LIMIT_MS, TrialProcess, type TrialLaunch } from './trial-process.js';

export interface LoadTrialOptions extends TrialLaunch {
  /** A file was found harmless, or not; called once for each file. */
  readonly onVerdict: (file: StepFile, problem: StepFileProblem | undefined) => void;
  /** All files but those that take long, which are named, have their verdict. Called once. */
  readonly onQuick: (slow: readonly StepFile[]) => void;
  /** All files have their verdict. Called once, after `onQuick`. */
  readonly onDone: () => void;
}

/**
 * Loads files in processes that serve nothing, to find those that end or block the process that loads them. Several files
 * share a process as long as it lives; when one has left something behind that ends it later, halves of them are tried again.
 */
export class LoadTrial {
  private readonly processes = new Set<TrialProcess>();
  private readonly slow = new Map<string, StepFile>();
  /** Processes whose files are not known to be slow. */
  private quick = 0;
  private wasQuick = false;
  private ended = false;

  constructor(private readonly options: LoadTrialOptions) {}

  /** To be called once. */
  begin(files: readonly StepFile[]): void {
    this.try(files);
    this.check();
  }

  /** Nothing more is told. Resolves when its processes are gone. */
  async end(): Promise<void> {
    this.ended = true;
    await Promise.all([...this.processes].map((process) => process.end()));
  }

  private try(files: readonly StepFile[]): void {
    if (files.length === 0 || this.ended) return;
    let isSlow = false;
    this.quick++;
    const process: TrialProcess = new TrialProcess(this.options, files, {
      passed: (passed) => { for (const file of passed) this.judge(file, undefined); },
      faulty: (file, problem) => this.judge(file, problem),
      slow: (file, others) => {
        isSlow = true;
        this.slow.set(file.file, file);
        this.try(others);
        this.quick--;
        this.check();
      },
      failed: (file, failure, others) => {
        this.try(others);
        this.judge(file, problemOf(failure));
      },
      died: (reason, loaded, others) => this.divide(reason, loaded, others),
      gone: () => {
        this.processes.delete(process);
        if (!isSlow) this.quick--;
        this.check();
      },
    });
    this.processes.add(process);
  }

  /** Of several that could have left behind what ended their process, each half is tried alone. */
  private divide(reason: string, loaded: readonly StepFile[], others: readonly StepFile[]): void {
    const [only] = loaded;
    if (!only) {
      // It ended before any file was begun: that says nothing of them.
      for (const file of others) this.judge(file, undefined);
      return;
    }
    this.try(others);
    const half = Math.ceil(loaded.length / 2);
    if (loaded.length === 1) return this.judge(only, problemOf({ timeout: false, reason }));
    this.try(loaded.slice(0, half));
    return this.try(loaded.slice(half));
  }

  private judge(file: StepFile, problem: StepFileProblem | undefined): void {
    if (this.ended) return;
    this.slow.delete(file.file);
    this.options.onVerdict(file, problem);
    this.check();
  }

  private check(): void {
    if (this.ended || this.quick > 0) return;
    if (!this.wasQuick) {
      this.wasQuick = true;
      this.options.onQuick([...this.slow.values()]);
    }
    if (this.slow.size > 0 || this.ended) return;
    this.ended = true;
    this.options.onDone();
  }
}

function problemOf({ timeout, reason }: { readonly timeout: boolean; readonly reason: string }): StepFileProblem {
  const seconds = LOAD_LIMIT_MS / 1000;
  return timeout ? { kind: 'timeout', message: `the file did not finish loading in ${seconds} s and blocks its process` }
    : { kind: 'crash', message: `the file ended its process while it was loaded (${reason})` };
}
