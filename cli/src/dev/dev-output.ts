import type { LogRecord, LogSink } from '@treadle/api';
import { paint, paintError, wantsColour, type TerminalStream } from '../terminal/paint.js';
import { devLines } from './dev-lines.js';
import { SHORT_ID } from './request-line.js';

/** Where lines for people go. */
export interface DevOutputOptions {
  readonly write: (text: string) => void;
  /** Takes the records that have no words of their own here, e.g. those of handlers. */
  readonly rest: LogSink;
  /** Colours a text, or leaves it as it is. */
  readonly paint: (style: 'dim' | 'bold' | 'cyan' | 'green' | 'yellow' | 'red' | 'error', text: string) => string;
}

const OWN_KEYS = ['timestamp', 'level', 'message', 'traceId', 'spanId', 'service', 'stepName'];

/**
 * Stands in for the engine's standard output in `treadle dev`: takes its log as JSON lines and writes what a developer
 * wants to see of it, addresses and diagnostics in the form of `check`.
 */
export class DevOutput {
  private pending = '';
  /** The Steps of the start, below the addresses; undefined once those are shown. */
  private held: string[] | undefined = [];

  constructor(private readonly options: DevOutputOptions) {}

  /** Takes text in any pieces. */
  write(text: string): void {
    const lines = (this.pending + text).split('\n');
    this.pending = lines.pop() ?? '';
    for (const line of lines) this.take(line);
  }

  private take(line: string): void {
    const record = parseRecord(line);
    if (!record) return this.options.write(`${line}\n`);
    const own = devLines(record, this.options.paint);
    if (own === undefined) return this.options.rest.write(withTrace(record));
    if (own === '') return;
    if (record.message === 'catalog changed' && this.held) return void this.held.push(`${own}\n`);
    this.options.write(`${own}\n`);
    if (record.message === 'ready' && record.stepName === '') this.release();
  }

  private release(): void {
    for (const text of this.held ?? []) this.options.write(text);
    this.held = undefined;
  }
}

/** The output of `treadle dev` on a stream. */
export async function devOutput(stream: TerminalStream & { write(text: string): unknown }): Promise<DevOutput> {
  const { terminalSink } = await import('@treadle/kernel');
  const write = (text: string): void => void stream.write(text);
  return new DevOutput({
    write, rest: terminalSink({ write, color: wantsColour(stream) }),
    paint: (style, text) => (style === 'error' ? paintError(text, stream) : paint(style, text, stream)),
  });
}

/** Lines of a run lead to its trace. */
function withTrace(record: LogRecord): LogRecord {
  const { stepName, traceId, fields } = record;
  return stepName === '' || /^0*$/.test(traceId) ? record : { ...record, fields: { ...fields, trace: traceId.slice(0, SHORT_ID) } };
}

function parseRecord(line: string): LogRecord | undefined {
  try {
    const value = JSON.parse(line) as Record<string, unknown>;
    if (typeof value['message'] !== 'string' || typeof value['level'] !== 'string') return undefined;
    const fields = Object.fromEntries(Object.entries(value).filter(([key]) => !OWN_KEYS.includes(key)));
    return { ...(value as unknown as LogRecord), fields };
  } catch {
    // Not a record: whatever wrote it wanted it to be read.
    return undefined;
  }
}
