import type { ConfigSchema } from '@treadle/api';
import type {
  CallMessage, ErrorMessage, HelloMessage, LogMessage, MeasurementsMessage, RegisterMessage, ResultMessage, SpansMessage,
  WithdrawalMessage,
} from '@treadle/protocol';
import { checkSchema } from '../diagnostics/schema-check.js';

/*
 * What a worker sends is checked before it is used. Messages of the hot path are checked by hand, since that costs
 * nothing; the rare ones against their schema.
 */

const text: ConfigSchema = { type: 'string' };
const count: ConfigSchema = { type: 'integer', minimum: 0 };

const HELLO: ConfigSchema = {
  required: ['role', 'protocol', 'runtime', 'runtimeVersion', 'token', 'pid'],
  properties: {
    role: { enum: ['main', 'heartbeat'] }, protocol: count, runtime: { type: 'string', minLength: 1, maxLength: 64 },
    runtimeVersion: text, sdkVersion: text, token: text, pid: count,
    childId: text, session: text, application: text, build: text, root: text, withdraws: { type: 'boolean' },
  },
};

const PROBLEM: ConfigSchema = {
  type: 'object', required: ['kind', 'message'],
  properties: { kind: text, message: text, line: count, column: count, at: text },
};

const GUARDS: ConfigSchema = {
  type: 'array',
  items: { type: 'array', items: { type: 'object', required: ['schemes'], properties: { optional: { type: 'boolean' }, schemes: { type: 'array', items: { type: 'object', required: ['type'], properties: {
    type: { enum: ['apiKey', 'http'] }, in: { enum: ['header', 'query', 'cookie'] }, name: text, scheme: text, bearerFormat: text,
  } } } } } },
};

const REPORT: ConfigSchema = {
  type: 'object', required: ['file', 'steps'],
  properties: {
    file: { type: 'string', minLength: 1 }, version: text, problem: PROBLEM, imports: { type: 'array', items: text }, elsewhere: { type: 'boolean' }, held: { type: 'boolean' },
    steps: { type: 'array', items: { type: 'object', required: ['config'], properties: { line: count, idle: { type: 'boolean' }, guards: GUARDS, role: { enum: ['step', 'stream', 'stream-auth', 'middleware', 'setup', 'env'] } } } },
  },
};

const REGISTER: ConfigSchema = {
  required: ['reports', 'complete'],
  properties: { complete: { type: 'boolean' }, reports: { type: 'array', items: REPORT } },
};

export function isHello(message: object): message is HelloMessage {
  return (message as { type?: unknown }).type === 'hello' && fits(message, HELLO);
}

export function isRegister(message: object): message is RegisterMessage {
  return fits(message, REGISTER) && isWritable(message);
}

export function isResult(message: Partial<ResultMessage>): message is ResultMessage {
  const { http } = message;
  if (typeof message.id !== 'number' || !isOptional(message.ms, 'number')) return false;
  return http === undefined || (isObject(http) && Number.isInteger(http.status) && isHeaders(http.headers) && isBody(http.body) && areNotes(http));
}

export function isFailure(message: Partial<ErrorMessage>): message is ErrorMessage {
  const { id, code, message: words, retryAfterMs, issues } = message;
  return typeof id === 'number' && typeof code === 'string' && typeof words === 'string'
    && isOptional(message.name, 'string') && isOptional(message.stack, 'string')
    && isOptional(retryAfterMs, 'number') && isOptional(message.ms, 'number') && (issues === undefined || Array.isArray(issues));
}

export function isCall(message: Partial<CallMessage>): message is CallMessage {
  return typeof message.call === 'number' && typeof message.id === 'number' && typeof message.op === 'string';
}

export function isLog(message: Partial<LogMessage>): message is LogMessage {
  const { id, time, level, message: words, fields, stepName, traceparent } = message;
  return Number.isFinite(time) && Math.abs(time as number) < MAX_TIME && typeof words === 'string'
    && LEVELS.has(level as string) && isOptional(id, 'number') && isOptional(stepName, 'string') && isOptional(traceparent, 'string')
    && (fields === undefined || isObject(fields));
}

/** Each of them is checked where it is used, for one bad span says nothing about the others. */
export function isSpans(message: Partial<SpansMessage>): message is SpansMessage {
  return Array.isArray(message.spans);
}

export function isMeasurements(message: Partial<MeasurementsMessage>): message is MeasurementsMessage {
  return Array.isArray(message.points);
}

export function isWithdrawal(message: Partial<WithdrawalMessage>): message is WithdrawalMessage {
  const { id, done, ended = false } = message;
  return typeof id === 'number' && typeof done === 'boolean' && typeof ended === 'boolean';
}

/** Whether a `chunk` or `credit` names a stream and what it carries. */
export function isStreamMessage(message: { type: string; stream?: unknown; data?: unknown; error?: unknown; chunks?: unknown }): boolean {
  if (typeof message.stream !== 'number') return false;
  if (message.type === 'credit') return Number.isInteger(message.chunks) && (message.chunks as number) >= 0;
  return typeof message.data === 'string' && isOptional(message.error, 'string');
}

/** Largest time that a Date can hold. */
const MAX_TIME = 8.64e15;
const LEVELS = new Set(['debug', 'info', 'warn', 'error']);

function areNotes({ thrown, unknownKeys }: NonNullable<ResultMessage['http']>): boolean {
  return isOptional(thrown, 'string') && (unknownKeys === undefined || (Array.isArray(unknownKeys) && unknownKeys.every((key) => typeof key === 'string')));
}

function isHeaders(value: unknown): boolean {
  return value === undefined || (isObject(value) && !Array.isArray(value));
}

function isBody(body: unknown): boolean {
  if (body === undefined) return true;
  if (!isObject(body)) return false;
  const { kind, value, text, stream, bytes } = body as Readonly<Record<'kind' | 'value' | 'text' | 'stream' | 'bytes', unknown>>;
  if (kind === 'json') return isOptional(text, 'string');
  return kind === 'stream' ? typeof stream === 'number' && isOptional(bytes, 'number') : (kind === 'text' || kind === 'base64') && typeof value === 'string';
}

function fits(message: object, schema: ConfigSchema): boolean {
  return checkSchema(message, schema, { path: '', owner: '' }).length === 0;
}

/** What is nested too deep could be read, but not hashed, shown or sent on. */
function isWritable(message: object): boolean {
  try {
    JSON.stringify(message);
    return true;
  } catch {
    return false; // only the depth can be at fault: it came as JSON
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isOptional(value: unknown, type: 'string' | 'number'): boolean {
  return value === undefined || typeof value === type;
}
