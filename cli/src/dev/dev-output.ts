import type { LogRecord, LogSink } from '@treadle/api';
import { paint, paintError, wantsColour, type TerminalStream } from '../terminal/paint.js';
import { devLines } from './dev-lines.js';
import type { Paint } from './dev-paint.js';
import { SHORT_ID } from './request-line.js';

/** Where lines for people go. */
export interface DevOutputOptions {
  readonly write: (text: string) => void;
  /** Takes the records that have no words of their own here, e.g. those of handlers. */
  readonly rest: LogSink;
  /** Colours a text, or leaves it as it is. */
  readonly paint: Paint;
  /** Makes a one-time link to the console at an address; undefined: there is no page. Asked once an engine is ready. */
  readonly link: (address: string) => Promise<string | undefined>;
}

const OWN_KEYS = ['timestamp', 'level', 'message', 'traceId', 'spanId', 'service', 'stepName'];

/**
 * Stands in for the engine's standard output in `treadle dev`: takes its log as JSON lines and writes what a developer
 * wants to see of it, addresses and diagnostics in the form of `check`.
 */
export class DevOutput {
  private pending = '';
  /** The Steps of the start, below the addresses; undefined once those are shown. */
  private early: string[] | undefined = [];
  /** Records that wait behind one that lacks its link. */
  private held: LogRecord[] | undefined;
  private linked: Promise<void> = Promise.resolve();

  constructor(private readonly options: DevOutputOptions) {}

  /** Everything that was taken is written. */
  settled(): Promise<void> {
    return this.linked;
  }

  /** Takes text in any pieces. */
  write(text: string): void {
    const lines = (this.pending + text).split('\n');
    this.pending = lines.pop() ?? '';
    for (const line of lines) this.take(line);
  }

  private take(line: string): void {
    const record = parseRecord(line);
    if (!record) this.options.write(`${line}\n`);
    else if (this.held) this.held.push(record);
    else if (isReady(record)) this.linked = this.showLinked(record);
    else this.show(record);
  }

  /** What comes meanwhile is shown behind it. */
  private async showLinked(record: LogRecord): Promise<void> {
    const held: LogRecord[] = this.held = [];
    const { console: address, ...fields } = record.fields ?? {};
    const link = await this.options.link(String(address));
    this.show({ ...record, fields: link === undefined ? { ...fields, admin: address } : { ...fields, console: link } });
    this.held = undefined;
    for (const one of held) this.show(one);
  }

  private show(record: LogRecord): void {
    const own = devLines(record, this.options.paint);
    if (own === undefined) return this.options.rest.write(withTrace(record));
    if (own === '') return;
    if (record.message === 'catalog changed' && this.early) return void this.early.push(`${own}\n`);
    this.options.write(`${own}\n`);
    if (record.message === 'ready' && record.stepName === '') this.release();
  }

  private release(): void {
    for (const text of this.early ?? []) this.options.write(text);
    this.early = undefined;
  }
}

/** The record that names the addresses of an engine with a console. */
function isReady({ message, stepName, fields = {} }: LogRecord): boolean {
  return message === 'ready' && stepName === '' && typeof fields['console'] === 'string';
}

/** The output of `treadle dev` on a stream. */
export async function devOutput(stream: TerminalStream & { write(text: string): unknown }, link: DevOutputOptions['link']): Promise<DevOutput> {
  const { terminalSink } = await import('@treadle/kernel');
  const write = (text: string): void => void stream.write(text);
  return new DevOutput({
    write, link, rest: terminalSink({ write, color: wantsColour(stream) }),
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
