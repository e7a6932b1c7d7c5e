import { paint, type TerminalStream } from './paint.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** Where progress is shown; stderr, so that stdout stays for results. */
export interface ProgressStream extends TerminalStream {
  write(text: string): unknown;
}

/**
 * Shows that something long is going on: a moving line with the elapsed seconds on a terminal, else one plain line at
 * the start and one at the end.
 */
export class Progress {
  private readonly stream: ProgressStream;
  private readonly label: string;
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout | undefined;
  private detail = '';
  private frame = 0;

  constructor(label: string, stream: ProgressStream = process.stderr) {
    this.label = label;
    this.stream = stream;
    if (!stream.isTTY) {
      stream.write(`${label} …\n`);
      return;
    }
    this.draw();
    this.timer = setInterval(() => this.draw(), FRAME_MS);
    this.timer.unref();
  }

  /** What is being done right now, e.g. `12/40 steps/hello.step.ts`; shown on terminals only. */
  update(detail: string): void {
    this.detail = detail;
  }

  /** Replaces the line with the outcome. */
  end(outcome: string, success = true): void {
    const mark = success ? paint('green', '✓', this.stream) : paint('red', '✗', this.stream);
    this.clear();
    this.stream.write(this.stream.isTTY ? `${mark} ${outcome}\n` : `${outcome}\n`);
  }

  /** Takes the line away without an outcome. */
  clear(): void {
    clearInterval(this.timer);
    if (this.stream.isTTY) this.stream.write('\r\u001b[2K');
  }

  /** Whole seconds since the start, as text: `12 s`. */
  get elapsed(): string {
    return `${Math.round((performance.now() - this.startedAt) / 1000)} s`;
  }

  private draw(): void {
    const frame = FRAMES[this.frame++ % FRAMES.length] ?? '';
    const text = `${frame} ${this.label} ${this.elapsed}${this.detail ? `  ${this.detail}` : ''}`;
    this.stream.write(`\r\u001b[2K${text.slice(0, (this.stream.columns ?? 80) - 1)}`);
  }
}
