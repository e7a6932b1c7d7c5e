import type { LogRecord, LogSink } from '@treadle/api';

/** A sink that keeps what it is given. */
export interface RecordedLog extends LogSink {
  readonly records: readonly LogRecord[];
  /** Records as text, one per line, for searching. */
  text(): string;
  clear(): void;
}

/** Makes a sink for tests. */
export function recordedLog(): RecordedLog {
  const records: LogRecord[] = [];
  return {
    records,
    write: (record) => void records.push(record),
    text: () => records.map((record) => JSON.stringify(record)).join('\n'),
    clear: () => void records.splice(0),
  };
}
