import type { ChildProcess as NodeChild } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '@treadle/api';
import type { ChildStart, Mark } from '@treadle/protocol';
import { exitReason } from './exit-reason.js';
import { MARKS_FD, readMarks } from './marks.js';
import { OutputTail } from './output-tail.js';

export interface ChildOptions {
  /** Starts the process. */
  readonly launch: () => NodeChild;
  /** What a runtime adds is for its own program. */
  readonly start: ChildStart;
  readonly clock: Clock;
  onLine(line: string, stream: 'stdout' | 'stderr'): void;
  onMark?(mark: Mark): void;
  /** The process is gone. Called once. */
  onExit(reason: string, output: string): void;
}

/** How long output may still come in after the end: a process that the child left behind keeps the pipe open. */
const LAST_OUTPUT_MS = 100;

/** Those that live. Nothing of this process outlives it: not when it leaves without waiting for anything. */
const living = new Set<NodeChild>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** One process that runs Steps. One that the system cannot start (no file handles or memory left) ends like any other, in a later turn. */
export class ChildProcess {
  /** Absent: starting it threw. */
  private readonly process: NodeChild | undefined;
  private readonly tail = new OutputTail();
  private readonly whenGone: Promise<void>;
  private settle: () => void = () => undefined;
  private killedFor: string | undefined;
  private gone = false;

  constructor(private readonly options: ChildOptions) {
    this.whenGone = new Promise((resolve) => { this.settle = resolve; });
    try {
      this.process = options.launch();
    } catch (error) {
      setImmediate(() => this.notStarted(error));
      return;
    }
    this.watch(this.process);
    // One that could not be started has no pid, and perhaps no pipes: `error` comes in the next turn.
    if (this.process.pid !== undefined) living.add(this.process);
    this.connect(this.process);
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Ends it by force; `reason` is what the crash report will say. */
  kill(reason?: string): void {
    this.killedFor ??= reason;
    this.signal('SIGKILL');
  }

  /** Waits for its end; asks it to end after `graceMs` and forces it after another second. */
  async end(graceMs: number): Promise<void> {
    const { clock } = this.options;
    const ask = clock.after(graceMs, () => this.signal('SIGTERM'));
    const force = clock.after(graceMs + (graceMs > 0 ? 1_000 : 0), () => this.signal('SIGKILL'));
    await this.whenGone;
    ask.cancel();
    force.cancel();
  }

  /** A process without a pid must not be signalled: that would reach the group of this one. */
  private signal(signal: NodeJS.Signals): void {
    if (!this.gone && this.pid !== undefined) this.process?.kill(signal);
  }

  private connect({ stdin, stdout, stderr, stdio }: Partial<NodeChild>): void {
    const { start, onLine, onMark } = this.options;
    stdin?.on('error', () => undefined); // it died before it could read; its exit says why
    // Left open: its end tells the child that the engine is gone.
    const marks = stdio?.[MARKS_FD] as Readable | null | undefined;
    stdin?.write(`${JSON.stringify({ ...start, enginePid: process.pid, ...(marks && { marks: MARKS_FD }) })}\n`);
    if (stdout) this.tail.read(stdout, (line) => onLine(line, 'stdout'));
    if (stderr) this.tail.read(stderr, (line) => onLine(line, 'stderr'));
    readMarks(marks, (mark) => onMark?.(mark));
  }

  private watch(child: NodeChild): void {
    child.on('error', (error) => {
      // Also raised when a signal could not be sent; only a process that never began has no pid.
      if (child.pid === undefined) this.notStarted(error);
    });
    child.on('exit', (code, signal) => {
      const report = (): void => this.over(exitReason(code, signal, this.tail.text));
      const timer = this.options.clock.after(LAST_OUTPUT_MS, report);
      child.on('close', () => {
        timer.cancel();
        report();
      });
    });
  }

  private notStarted(error: unknown): void {
    this.over(`it could not be started: ${error instanceof Error ? error.message : String(error)}`);
  }

  private over(reason: string): void {
    if (this.gone) return;
    this.gone = true;
    if (this.process) living.delete(this.process);
    this.settle();
    this.options.onExit(this.killedFor ?? reason, this.tail.text);
  }
}
