import { existsSync, readFileSync } from 'node:fs';
import { BESIDE_STORE, type KvLog, kvLogLoss, type KvRecord, kvRecordFile, readKvRecord } from '@treadle/api';

/** Undefined when there is none, or the file is of an engine's own store, which has a lock and only its process there. */
export function kvRecordOf(file: string): KvRecord | undefined {
  const name = kvRecordFile(file);
  return existsSync(name) && !existsSync(file + BESIDE_STORE.lock) ? readKvRecord(readFileSync(name, 'utf8')) : undefined;
}

/** What is wrong with the log of a `KvStore` by its record, as its next start says; undefined when all that was acknowledged is there. */
export function kvLogFault(file: string, record: KvRecord, log: KvLog): string | undefined {
  const [name, source] = [`"${file}-wal"`, `("${kvRecordFile(file)}")`];
  switch (kvLogLoss(record, log)) {
    case 'bytes': return `${record.logBytes} bytes of ${name} were acknowledged ${source}, and ${log.bytes} of them are there`;
    case 'header': return `the header of ${name} is not what was written`;
    case 'frames': return `${record.log.frames} frames of ${name} were acknowledged ${source}, and it is sound up to frame ${log.frames}`;
    default: return undefined;
  }
}
