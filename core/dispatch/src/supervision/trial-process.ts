import type { ChildProcess as NodeChild } from 'node:child_process';
import type { Clock, RuntimeHost, Timer } from '@treadle/api';
import type { Mark, StepFile, StepFileProblem } from '@treadle/protocol';
import { ChildProcess } from './child-process.js';

/** How the processes of a trial are started. */
export interface TrialLaunch {
  /** Starts a process. */
  readonly launch: () => NodeChild;
  /** Further members of the first line on its standard input. */
  readonly start: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  readonly host: Pick<RuntimeHost, 'root' | 'mode' | 'output'>;
  /** How long a process must live on once it has loaded its files, in milliseconds. Default 0. */
  readonly settleMs?: number;
}

/** What happened to the files of one process; each file is told of once at most. */
export interface TrialEvents {
  /** They were loaded, and the process lives. */
  passed(files: readonly StepFile[]): void;
  /** One was given up, or was loaded and then an error came of it that nobody caught. */
  faulty(file: StepFile, problem: StepFileProblem): void;
  /** One takes longer than files usually do. It goes on being loaded; the others, which were not begun, are left to the caller. */
  slow(file: StepFile, others: readonly StepFile[]): void;
  /** One ended the process, or does not come to an end; `others` were not begun. */
  failed(file: StepFile, failure: { readonly timeout: boolean; readonly reason: string }, others: readonly StepFile[]): void;
  /** The process ended while no file was being loaded: one of `loaded` has left that behind; `others` were not begun. */
  died(reason: string, loaded: readonly StepFile[], others: readonly StepFile[]): void;
  /** The process is gone, and everything else was told. */
  gone(): void;
}

/** Longest time from the start of a process to its first mark, and between two files; milliseconds. */
const PAUSE_MS = 15_000;
/** A file that takes longer does not hold up the others; milliseconds. */
const SLOW_MS = 1_500;
/** Longest time that a file may take; milliseconds. */
export const LOAD_LIMIT_MS = 10_000;

/** One process that loads files one after the other, to see what they do to it. It serves nothing. */
export class TrialProcess {
  private readonly child: ChildProcess;
  private readonly loaded: StepFile[] = [];
  private readonly waiting: StepFile[];
  private current: StepFile | undefined;
  /** Of the current one: it came to an end, but not by itself. */
  private problem: StepFileProblem | undefined;
  private timer: Timer;
  private isSlow = false;
  private late = false;
  private over = false;

  constructor(private readonly options: TrialLaunch, files: readonly StepFile[], private readonly events: TrialEvents) {
    const { launch, start, clock, host, settleMs = 0 } = options;
    const { root, mode } = host;
    this.waiting = [...files];
    this.child = new ChildProcess({
      launch, clock, start: { ...start, root, mode, socketUrl: '', token: '', childId: 'trial', trial: { files, settleMs } },
      onMark: (mark) => this.marked(mark), onLine: () => undefined,
      onExit: (reason, output) => this.exited(reason, output),
    });
    this.timer = clock.after(PAUSE_MS, () => this.child.kill());
  }

  /** Ends it; nothing more is told of its files. Resolves when the process is gone. */
  async end(): Promise<void> {
    this.over = true;
    this.timer.cancel();
    await this.child.end(0);
  }

  private marked(mark: Mark): void {
    if (this.over) return;
    if ('loading' in mark) this.begin(mark.loading);
    else if ('loaded' in mark) this.finish();
    else if ('faulty' in mark) this.spoil(mark.faulty, mark.problem);
    else if ('done' in mark) this.pass();
  }

  private begin(file: string): void {
    const at = this.waiting.findIndex((each) => each.file === file);
    if (at < 0) return;
    [this.current] = this.waiting.splice(at, 1);
    this.await(SLOW_MS, () => this.tooLong());
  }

  private finish(): void {
    const { current, problem } = this;
    this.current = this.problem = undefined;
    if (current && problem) this.events.faulty(current, problem);
    else if (current) this.loaded.push(current);
    if (this.isSlow) this.pass();
    else this.await(PAUSE_MS, () => this.child.kill());
  }

  private spoil(file: string, problem: StepFileProblem): void {
    if (this.current?.file === file) this.problem = problem;
    const at = this.loaded.findIndex((each) => each.file === file);
    const [found] = at < 0 ? [] : this.loaded.splice(at, 1);
    if (found) this.events.faulty(found, problem);
  }

  private pass(): void {
    void this.end().then(() => {
      this.events.passed(this.loaded);
      this.events.gone();
    });
  }

  private tooLong(): void {
    const { current } = this;
    if (!current) return;
    this.isSlow = true;
    this.await(LOAD_LIMIT_MS - SLOW_MS, () => {
      this.late = true;
      this.child.kill();
    });
    this.events.passed(this.loaded.splice(0));
    this.events.slow(current, this.waiting.splice(0));
  }

  private exited(reason: string, output: string): void {
    this.timer.cancel();
    if (this.over) return;
    this.over = true;
    for (const line of output.trimEnd().split('\n')) if (line !== '') this.options.host.output(line, 'stderr', 'trial');
    const { current, loaded, waiting, late } = this;
    if (current) {
      this.events.passed(loaded);
      this.events.failed(current, { timeout: late, reason }, waiting);
    } else {
      this.events.died(reason, loaded, waiting);
    }
    this.events.gone();
  }

  private await(ms: number, task: () => void): void {
    this.timer.cancel();
    this.timer = this.options.clock.after(ms, task);
  }
}
