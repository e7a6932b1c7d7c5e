import { type LogFormat, type LogLevel, type LogRecord, type LogSink, redactText, SEVERITY } from '@treadle/api';
import { MAX_FIELD_CHARACTERS, PlainCopier } from './plain-value.js';

const safe = new WeakSet<LogRecord>();

/** True when a record of this level is written at the threshold. */
export function passes(level: LogLevel, threshold: LogLevel): boolean {
  return SEVERITY[level] >= SEVERITY[threshold];
}

/**
 * A copy of the record that can go anywhere: secrets redacted, fields plain JSON of at most 8 KB and 6 levels.
 * A record that went through here before comes back as it is.
 */
export function safeRecord(record: LogRecord): LogRecord {
  if (safe.has(record)) return record;
  const { fields, message, ...rest } = record;
  const copy: LogRecord = {
    ...rest,
    message: boundedMessage(message),
    ...(fields === undefined ? {} : { fields: new PlainCopier().fields(fields) }),
  };
  safe.add(copy);
  return copy;
}

function boundedMessage(message: unknown): string {
  // Handlers written in JavaScript pass anything.
  const text = typeof message === 'string' ? message : new PlainCopier().text(describeMessage(message));
  if (text.length <= MAX_FIELD_CHARACTERS) return redactText(text);
  return `${redactText(text.slice(0, MAX_FIELD_CHARACTERS))}… [truncated]`;
}

function describeMessage(message: unknown): string {
  return JSON.stringify(new PlainCopier().fields({ message })['message']) ?? 'undefined';
}

type Listener = (record: LogRecord) => void;

/**
 * Passes records of a level on, made safe; what the engine hands to modules and to what runs handlers. What is set here is set
 * for the inner sink too, and who taps it hears what comes to the inner one from elsewhere as well.
 */
export class SafeSink implements LogSink {
  private listeners: readonly Listener[] = [];
  private service: string | undefined;

  constructor(private readonly inner: LogSink, private level: LogLevel) {}

  write(record: LogRecord): void {
    if (!passes(record.level, this.level)) return;
    const safe = safeRecord(this.service === undefined || record.service === this.service ? record : { ...record, service: this.service });
    this.inner.write(safe);
    for (const listener of this.listeners) listener(safe);
  }

  get dropped(): number | undefined {
    return this.inner.dropped;
  }

  wants(level: LogLevel): boolean {
    return passes(level, this.level);
  }

  tap(listener: Listener): () => void {
    const { inner } = this;
    if (inner.tap) return inner.tap(listener);
    this.listeners = [...this.listeners, listener];
    return () => { this.listeners = this.listeners.filter((other) => other !== listener); };
  }

  setLevel(level: LogLevel): () => void {
    const before = this.level;
    this.level = level;
    return both(() => { this.level = before; }, this.inner.setLevel?.(level));
  }

  setService(service: string): () => void {
    const before = this.service;
    this.service = service;
    return both(() => { this.service = before; }, this.inner.setService?.(service));
  }

  setFormat(format: LogFormat): () => void {
    return this.inner.setFormat?.(format) ?? (() => undefined);
  }
}

function both(own: () => void, inner: (() => void) | undefined): () => void {
  return () => {
    own();
    inner?.();
  };
}
