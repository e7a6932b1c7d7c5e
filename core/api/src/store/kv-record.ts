import { BESIDE_STORE } from './store-names.js';

/** How much of the log of a `KvStore` was acknowledged. */
export interface AcknowledgedLog {
  /** The log's header up to its salt, in hex digits: a log that begins anew in the same file has another one. Empty when nothing is known. */
  readonly header: string;
  /** Up to the last transaction that was acknowledged. */
  readonly frames: number;
}

/** What a `KvStore` notes of itself beside its database: there while a process has the file, and after one that was killed. */
export interface KvRecord {
  /** 0 when it cannot be read, e.g. before the other one has written it. */
  readonly pid: number;
  /** Length that the log had when something was acknowledged last. */
  readonly logBytes: number;
  readonly log: AcknowledgedLog;
}

/** A log as it lies on the disk; what is costly to find out is only asked when it matters. */
export interface KvLog {
  readonly bytes: number;
  /** Its first bytes, at least `KV_LOG_BEGINNING` of them; 0 where it is shorter. */
  readonly beginning: Buffer;
  /** The checksum of its header is right. */
  readonly isSound: boolean;
  /** Sound ones from the beginning, as many as were acknowledged at least when they are there. */
  readonly frames: number;
}

/** What of a log is not there or not what was written: some of its length, its header, some of its frames. */
export type KvLogLoss = 'bytes' | 'header' | 'frames';

export const NOTHING_ACKNOWLEDGED: AcknowledgedLog = { header: '', frames: 0 };

/** Bytes of a log's header that a record has. @source sqlite.org/fileformat2.html#walformat */
export const KV_LOG_BEGINNING = 24;
const HEADER_DIGITS = 2 * KV_LOG_BEGINNING;
const SALT_DIGITS = 16;
/** Where the header counts how often the log began anew. */
const BEGINNINGS_AT = 12;
/** Of the largest number, so that a record is always as long. */
const DIGITS = 15;

/** Where the record of a database is. */
export function kvRecordFile(file: string): string {
  return file + BESIDE_STORE.pid;
}

/** A record as it is written. */
export function writeKvRecord({ pid, logBytes, log: { header, frames } }: KvRecord): string {
  const numbers = [pid, logBytes, frames].map((number) => String(number).padStart(DIGITS));
  return `${[...numbers, header.padStart(HEADER_DIGITS)].join('\n')}\n`;
}

/** What `writeKvRecord` wrote; of a text that is not whole, what it has. */
export function readKvRecord(text: string): KvRecord {
  const lines = text.split('\n');
  const [pid = 0, logBytes = 0, frames = 0] = lines.map((line) => Number.parseInt(line, 10) || 0);
  const header = lines[3]?.trim() ?? '';
  return { pid, logBytes, log: header.length === HEADER_DIGITS ? { header, frames } : NOTHING_ACKNOWLEDGED };
}

/** The salt of a log's header in hex digits: each of its frames has it, and a log that begins anew has another one. */
export function kvLogSalt(header: string): string {
  return header.slice(-SALT_DIGITS);
}

/** Compares a log with what was acknowledged of it; undefined when all of that is there, or in the database since. */
export function kvLogLoss({ logBytes, log }: KvRecord, found: KvLog): KvLogLoss | undefined {
  if (logBytes > found.bytes) return 'bytes';
  if (log.frames === 0) return undefined;
  if (!found.isSound) return isTornBeginning(found.beginning, log.header) ? undefined : 'header';
  // Another salt: the log began anew, so all of the former one is in the database.
  if (kvLogSalt(found.beginning.toString('hex', 0, KV_LOG_BEGINNING)) !== kvLogSalt(log.header)) return undefined;
  return found.frames < log.frames ? 'frames' : undefined;
}

/** A power cut while the log began anew, which it does when all of it is in the database: the number of such beginnings is the next one. */
function isTornBeginning(beginning: Buffer, header: string): boolean {
  return beginning.readUInt32BE(BEGINNINGS_AT) === (Buffer.from(header, 'hex').readUInt32BE(BEGINNINGS_AT) + 1) >>> 0;
}
