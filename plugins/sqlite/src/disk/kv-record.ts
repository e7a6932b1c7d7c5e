import { existsSync, readFileSync } from 'node:fs';
import type { LogHeader } from './write-ahead-log.js';

/** What a `KvStore` notes of its log in `<file>.pid`, from its start until it is closed. */
export interface KvRecord {
  readonly logBytes: number;
  readonly frames: number;
  /** The first bytes of the log in hex digits, up to its salt. Empty when nothing is known. */
  readonly header: string;
}

/** A log as it lies on the disk. */
export interface KvLog {
  readonly bytes: number;
  /** Sound ones, up to the end of the last transaction. */
  readonly frames: number;
  /** Undefined when it is not sound. */
  readonly header: Pick<LogHeader, 'salt'> | undefined;
  /** The first bytes as they are there, as long as those of the record. */
  readonly beginning: Buffer;
}

const HEADER_DIGITS = 48;
const SALT_DIGITS = 16;
/** Where a log's header counts how often it began anew. */
const BEGINNINGS_AT = 12;

/** Undefined when there is none, or the file is of an engine's own store, which has a lock and only its process there. */
export function kvRecordOf(file: string): KvRecord | undefined {
  if (!existsSync(`${file}.pid`) || existsSync(`${file}.lock`)) return undefined;
  const lines = readFileSync(`${file}.pid`, 'utf8').split('\n');
  const [, logBytes = 0, frames = 0] = lines.map((line) => Number.parseInt(line, 10) || 0);
  const header = lines[3]?.trim() ?? '';
  return header.length === HEADER_DIGITS ? { logBytes, frames, header } : { logBytes, frames: 0, header: '' };
}

/** What is wrong with the log of a `KvStore` by its record, as its next start says; undefined when all that was acknowledged is there. */
export function kvLogFault(file: string, record: KvRecord, log: KvLog): string | undefined {
  const name = `"${file}-wal"`;
  if (record.logBytes > log.bytes) return `${record.logBytes} bytes of ${name} were acknowledged ("${file}.pid"), and ${log.bytes} of them are there`;
  if (record.frames === 0) return undefined;
  if (!log.header) return isTornBeginning(log.beginning, record.header) ? undefined : `the header of ${name} is not what was written`;
  // Another salt: the log began anew, so all of the former one is in the database.
  if (log.header.salt.toString('hex') !== record.header.slice(-SALT_DIGITS) || log.frames >= record.frames) return undefined;
  return `${record.frames} frames of ${name} were acknowledged ("${file}.pid"), and it is sound up to frame ${log.frames}`;
}

/** A power cut while the log began anew. */
function isTornBeginning(beginning: Buffer, header: string): boolean {
  return beginning.readUInt32BE(BEGINNINGS_AT) === (Buffer.from(header, 'hex').readUInt32BE(BEGINNINGS_AT) + 1) >>> 0;
}
