import type { ChildProcess as NodeChild } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
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

/** One process that runs Steps. */
export class ChildProcess {
  private readonly process: NodeChild;
  private readonly tail = new OutputTail();
  private readonly whenGone: Promise<void>;
  private killedFor: string | undefined;
  private gone = false;

  constructor(private readonly options: ChildOptions) {
    const { launch, start } = options;
    this.process = launch();
    living.add(this.process);
    const stdin = this.process.stdin as Writable;
    stdin.on('error', () => undefined); // it died before it could read; its exit says why
    // Left open: its end tells the child that the engine is gone.
    const marks = this.process.stdio[MARKS_FD] as Readable | null | undefined;
    stdin.write(`${JSON.stringify({ ...start, enginePid: process.pid, ...(marks && { marks: MARKS_FD }) })}\n`);
    for (const stream of ['stdout', 'stderr'] as const) {
      this.tail.read(this.process[stream] as Readable, (line) => options.onLine(line, stream));
    }
    readMarks(marks, (mark) => options.onMark?.(mark));
    this.whenGone = new Promise((resolve) => this.watch(resolve));
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Ends it by force; `reason` is what the crash report will say. */
  kill(reason?: string): void {
    this.killedFor ??= reason;
    if (!this.gone) this.process.kill('SIGKILL');
  }

  /** Waits for its end; asks it to end after `graceMs` and forces it after another second. */
  async end(graceMs: number): Promise<void> {
    const { clock } = this.options;
    const ask = clock.after(graceMs, () => this.process.kill('SIGTERM'));
    const force = clock.after(graceMs + (graceMs > 0 ? 1_000 : 0), () => this.process.kill('SIGKILL'));
    await this.whenGone;
    ask.cancel();
    force.cancel();
  }

  private watch(resolve: () => void): void {
    const over = (reason: string): void => {
      if (this.gone) return;
      this.gone = true;
      living.delete(this.process);
      resolve();
      this.options.onExit(this.killedFor ?? reason, this.tail.text);
    };
    this.process.on('error', (error) => {
      // Also raised when a signal could not be sent; only a process that never began has no pid.
      if (this.process.pid === undefined) over(`it could not be started: ${error.message}`);
    });
    this.process.on('exit', (code, signal) => {
      const report = (): void => over(exitReason(code, signal, this.tail.text));
      const timer = this.options.clock.after(LAST_OUTPUT_MS, report);
      this.process.on('close', () => {
        timer.cancel();
        report();
      });
    });
  }
}
