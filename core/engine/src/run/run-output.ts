import { learnSecrets, treadleError, type LogFormat, type LogLevel, type LogRecord, type LogSink } from '@treadle/api';
import { jsonSink, SafeSink, terminalSink } from '@treadle/kernel';
import type { EngineSurroundings } from '../engine-surroundings.js';
import { BoundedSink } from './bounded-sink.js';
import type { RunOptions } from './run-options.js';

const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies readonly LogLevel[];
const FORMATS: readonly string[] = ['json', 'text'] satisfies readonly LogFormat[];

/** How the engine talks: lines for people on a terminal, JSON lines otherwise; `LOG_FORMAT` and `LOG_LEVEL` decide first. */
export interface RunOutput {
  readonly sink: LogSink;
  readonly level: LogLevel;
  /** For people. */
  readonly text: boolean;
}

/** What is written hides the values of secret variables. @throws {USAGE} when `LOG_LEVEL` or `LOG_FORMAT` has an unknown value */
export function runOutput({ env, stdout, logFormat }: Pick<RunOptions, 'env' | 'stdout' | 'logFormat'>): RunOutput {
  learnSecrets(env);
  const level = choose('LOG_LEVEL', env, LEVELS) ?? 'info';
  const text = (logFormat ?? choose('LOG_FORMAT', env, FORMATS) ?? (stdout.isTTY ? 'text' : 'json')) === 'text';
  const write = (line: string): void => void stdout.write(line);
  const color = stdout.isTTY === true && !env['NO_COLOR'];
  const formatted = new FormattedSink({ json: jsonSink(write), text: terminalSink({ write, color }) }, text ? 'text' : 'json');
  return { level: level as LogLevel, text, sink: new SafeSink(new BoundedSink(formatted, stdout), level as LogLevel) };
}

/** Writes in the form that is set last. */
class FormattedSink implements LogSink {
  constructor(private readonly sinks: Readonly<Record<LogFormat, LogSink>>, private format: LogFormat) {}

  write(record: LogRecord): void {
    this.sinks[this.format].write(record);
  }

  setFormat(format: LogFormat): () => void {
    const before = this.format;
    this.format = format;
    return () => { this.format = before; };
  }
}

function choose(variable: string, env: EngineSurroundings['env'], allowed: readonly string[]): string | undefined {
  const value = env[variable];
  if (value === undefined || value === '') return undefined;
  const lower = value.toLowerCase();
  if (allowed.includes(lower)) return lower;
  throw treadleError('USAGE', { message: `${variable} is "${value}"; it must be one of ${allowed.join(', ')}` });
}
