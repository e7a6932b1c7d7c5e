import { type LogRecord, type LogSink, NO_SPAN, NO_TRACE } from '@treadle/api';
import { LogValve } from '@treadle/protocol';
import type { OutputStream } from '../engine-surroundings.js';

/** Bytes that may wait for whoever reads the output before lines are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** Bounds the lines that wait in memory for a reader of the output, as in `treadle-engine | less`: what nobody reads is dropped, and counted. */
export class BoundedSink implements LogSink {
  private readonly valve: LogValve;
  private service = '';
  private telling = false;

  constructor(private readonly inner: LogSink, private readonly output: OutputStream) {
    this.valve = new LogValve({ limit: MAX_WAITING_BYTES, waiting: () => output.writableLength ?? 0 });
  }

  /** Lines that nobody could read. */
  get dropped(): number {
    return this.valve.dropped;
  }

  write(record: LogRecord): void {
    if (!this.valve.admits(record.level)) {
      this.service = record.service;
      this.tellLater();
      return;
    }
    if (this.telling) this.tell();
    this.inner.write(record);
  }

  setFormat(format: Parameters<NonNullable<LogSink['setFormat']>>[0]): () => void {
    return this.inner.setFormat?.(format) ?? (() => undefined);
  }

  private tellLater(): void {
    if (this.telling) return;
    this.telling = true;
    this.output.once?.('drain', () => this.tell());
  }

  /** One line says how many are missing, at the place where they are. */
  private tell(): void {
    const lines = this.valve.untold();
    if (lines === 0) return;
    this.telling = false;
    this.inner.write({
      timestamp: new Date().toISOString(), level: 'warn', message: 'log lines were dropped: nobody read the output of the engine',
      traceId: NO_TRACE, spanId: NO_SPAN, service: this.service, stepName: '', fields: { lines },
    });
  }
}
