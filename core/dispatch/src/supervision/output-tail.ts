import type { Readable } from 'node:stream';

const KEPT_BYTES = 64 * 1024;
/** A line longer than this is cut into several. */
const MAX_LINE = 16 * 1024;

/** Splits what a process prints into lines and keeps the end of it for the crash report. */
export class OutputTail {
  private readonly pieces: string[] = [];
  private size = 0;

  /** Reads a stream to its end. A last line without an end counts as one. */
  read(stream: Readable, onLine: (line: string) => void): void {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      this.keep(text);
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      for (; rest.length > MAX_LINE; rest = rest.slice(MAX_LINE)) onLine(rest.slice(0, MAX_LINE));
    });
    stream.on('end', () => { if (rest !== '') onLine(rest); });
    stream.on('error', () => undefined); // the process is gone; its exit says why
  }

  /** At most the last 64 KB. */
  get text(): string {
    return this.pieces.join('').slice(-KEPT_BYTES);
  }

  private keep(text: string): void {
    this.pieces.push(text);
    this.size += text.length;
    while (this.size - (this.pieces[0]?.length ?? 0) >= KEPT_BYTES) this.size -= this.pieces.shift()?.length ?? 0;
  }
}
