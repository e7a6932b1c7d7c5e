import { closeSync, openSync, readSync } from 'node:fs';

/** How much of a log was acknowledged. */
export interface AcknowledgedLog {
  /** The log's header up to its salt, in hex digits: a log that begins anew in the same file has another one. Empty when nothing is known. */
  readonly header: string;
  /** Up to the last transaction that was acknowledged. */
  readonly frames: number;
}

/** What SQLite writes before the log's first page, and before each. @source sqlite.org/fileformat2.html#walformat */
const HEADER_BYTES = 32;
const FRAME_BYTES = 24;
const SALTED_BYTES = 24;
const SALT_AT = 16;
const MAGIC = 0x377f0682;

/** Follows the log of an open store, by the headers of its frames alone. */
export class LogFrames {
  private readonly descriptor: number;
  private readonly bytes = Buffer.alloc(FRAME_BYTES);
  private header = '';
  private frameBytes = 0;
  /** Ends of the last transaction and of the one before. */
  private last = 0;
  private former = 0;

  constructor(log: string) {
    this.descriptor = openSync(log, 'r');
  }

  /** What is acknowledged now. `isIdle`: nobody is writing; else the last transaction is perhaps not whole yet. */
  acknowledged(isIdle: boolean): AcknowledgedLog {
    readSync(this.descriptor, this.bytes, 0, SALTED_BYTES, 0);
    const header = this.bytes.toString('hex');
    if (header !== this.header) [this.header, this.frameBytes, this.last, this.former] = [header, FRAME_BYTES + this.bytes.readUInt32BE(8), 0, 0];
    const salt = header.slice(2 * SALT_AT);
    for (let frame = this.last; this.read(frame) && this.bytes.toString('hex', 8, 16) === salt; frame += 1) {
      const endsTransaction = this.bytes.readUInt32BE(4) > 0;
      if (endsTransaction) [this.former, this.last] = [this.last, frame + 1];
    }
    return { header, frames: isIdle ? this.last : this.former };
  }

  /** Once. */
  close(): void {
    closeSync(this.descriptor);
  }

  private read(frame: number): boolean {
    return readSync(this.descriptor, this.bytes, 0, FRAME_BYTES, HEADER_BYTES + frame * this.frameBytes) === FRAME_BYTES;
  }
}

/** What is wrong with a log of which so much was acknowledged; undefined when all of that is there, or it began anew since. */
export function faultOf(log: string, { header, frames }: AcknowledgedLog): string | undefined {
  if (frames === 0) return undefined;
  const descriptor = openSync(log, 'r');
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    readSync(descriptor, bytes, 0, HEADER_BYTES, 0);
    if (!isSound(bytes)) return isTornBeginning(bytes, header) ? undefined : `the header of "${log}" is not what was written`;
    if (bytes.toString('hex', 0, SALTED_BYTES) !== header) return undefined;
    const sound = soundFrames(descriptor, bytes, frames);
    return sound < frames ? `${frames} frames of "${log}" were acknowledged, and frame ${sound + 1} is not what was written` : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** A power cut while the log began anew, which it does when all of it is in the database: the number of such beginnings is the next one. */
function isTornBeginning(bytes: Buffer, header: string): boolean {
  return bytes.readUInt32BE(12) === (Buffer.from(header, 'hex').readUInt32BE(12) + 1) >>> 0;
}

function isSound(header: Buffer): boolean {
  return (header.readUInt32BE(0) & ~1) >>> 0 === MAGIC && isSum(header, SALTED_BYTES, checksum(header.subarray(0, SALTED_BYTES), isBig(header)));
}

/** Frames from the beginning whose checksums are right, `most` at most. */
function soundFrames(descriptor: number, header: Buffer, most: number): number {
  const frame = Buffer.alloc(FRAME_BYTES + header.readUInt32BE(8));
  let sum: Checksum = [header.readUInt32BE(24), header.readUInt32BE(28)];
  for (let number = 0; number < most; number += 1) {
    if (readSync(descriptor, frame, 0, frame.length, HEADER_BYTES + number * frame.length) < frame.length) return number;
    sum = checksum(frame.subarray(FRAME_BYTES), isBig(header), checksum(frame.subarray(0, 8), isBig(header), sum));
    if (frame.compare(header, SALT_AT, SALTED_BYTES, 8, 16) !== 0 || !isSum(frame, 16, sum)) return number;
  }
  return most;
}

type Checksum = readonly [number, number];

function isSum(bytes: Buffer, at: number, [first, second]: Checksum): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
}

/** The order of bytes in which a log counts its checksums. */
function isBig(header: Buffer): boolean {
  return (header.readUInt32BE(0) & 1) === 1;
}

/** Of all words, going on from another sum. */
function checksum(bytes: Buffer, big: boolean, [first, second]: Checksum = [0, 0]): Checksum {
  let [one, two] = [first | 0, second | 0];
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + (big ? bytes.readInt32BE(at) : bytes.readInt32LE(at)) + two) | 0;
    two = (two + (big ? bytes.readInt32BE(at + 4) : bytes.readInt32LE(at + 4)) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}
