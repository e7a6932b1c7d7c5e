import { treadleError, type LogLevel, type LogSink } from '@treadle/api';
import { jsonSink, terminalSink } from '@treadle/kernel';
import type { EngineSurroundings } from '../engine-surroundings.js';

const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies readonly LogLevel[];
const FORMATS: readonly string[] = ['json', 'text'];

/** How the engine talks: lines for people on a terminal, JSON lines otherwise; `LOG_FORMAT` and `LOG_LEVEL` decide first. */
export interface RunOutput {
  readonly sink: LogSink;
  readonly level: LogLevel;
  /** For people. */
  readonly text: boolean;
}

/** @throws {USAGE} when `LOG_LEVEL` or `LOG_FORMAT` has an unknown value */
export function runOutput({ env, stdout }: EngineSurroundings): RunOutput {
  const level = choose('LOG_LEVEL', env, LEVELS) ?? 'info';
  const text = (choose('LOG_FORMAT', env, FORMATS) ?? (stdout.isTTY ? 'text' : 'json')) === 'text';
  const write = (line: string): void => void stdout.write(line);
  const color = stdout.isTTY === true && !env['NO_COLOR'];
  return { level: level as LogLevel, text, sink: text ? terminalSink({ write, color }) : jsonSink(write) };
}

function choose(variable: string, env: EngineSurroundings['env'], allowed: readonly string[]): string | undefined {
  const value = env[variable];
  if (value === undefined || value === '') return undefined;
  const lower = value.toLowerCase();
  if (allowed.includes(lower)) return lower;
  throw treadleError('USAGE', { message: `${variable} is "${value}"; it must be one of ${allowed.join(', ')}` });
}
