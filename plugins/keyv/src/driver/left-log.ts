import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { KV_LOG_BEGINNING, type KvLog, kvLogLoss, type KvRecord } from '@treadle/api';
import { FRAME_BYTES, HEADER_BYTES } from './log-frames.js';

const SALT_AT = 16;
const MAGIC = 0x377f0682;

/** Length of the log of a database; 0 when there is none. */
export function logBytesOf(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** What is wrong with the log of a database by the record that was left; undefined when all that was acknowledged is there. */
export function faultOf(file: string, former: KvRecord): string | undefined {
  const log = new LeftLog(file, former.log.frames);
  try {
    switch (kvLogLoss(former, log)) {
      case 'bytes': return `${former.logBytes} bytes of "${log.path}" were acknowledged, and ${log.bytes} of them are there`;
      case 'header': return `the header of "${log.path}" is not what was written`;
      case 'frames': return `${former.log.frames} frames of "${log.path}" were acknowledged, and frame ${log.frames + 1} is not what was written`;
      default: return undefined;
    }
  } finally {
    log.close();
  }
}

/** A log that nobody has open; read from when something of its content is asked until it is closed. */
class LeftLog implements KvLog {
  readonly path: string;
  readonly bytes: number;
  private descriptor: number | undefined;
  private header: Buffer | undefined;

  /** @param most frames that are read */
  constructor(file: string, private readonly most: number) {
    this.path = `${file}-wal`;
    this.bytes = logBytesOf(file);
  }

  get beginning(): Buffer {
    if (this.header) return this.header;
    this.header = Buffer.alloc(HEADER_BYTES);
    readSync(this.opened(), this.header, 0, HEADER_BYTES, 0);
    return this.header;
  }

  get isSound(): boolean {
    return isSound(this.beginning);
  }

  get frames(): number {
    return soundFrames(this.opened(), this.beginning, this.most);
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }

  private opened(): number {
    return this.descriptor ??= openSync(this.path, 'r');
  }
}

function isSound(header: Buffer): boolean {
  return (header.readUInt32BE(0) & ~1) >>> 0 === MAGIC && isSum(header, KV_LOG_BEGINNING, checksum(header.subarray(0, KV_LOG_BEGINNING), isBig(header)));
}

/** Frames from the beginning whose checksums are right, `most` at most. */
function soundFrames(descriptor: number, header: Buffer, most: number): number {
  const frame = Buffer.alloc(FRAME_BYTES + header.readUInt32BE(8));
  let sum: Checksum = [header.readUInt32BE(24), header.readUInt32BE(28)];
  for (let number = 0; number < most; number += 1) {
    if (readSync(descriptor, frame, 0, frame.length, HEADER_BYTES + number * frame.length) < frame.length) return number;
    sum = checksum(frame.subarray(FRAME_BYTES), isBig(header), checksum(frame.subarray(0, 8), isBig(header), sum));
    if (frame.compare(header, SALT_AT, KV_LOG_BEGINNING, 8, 16) !== 0 || !isSum(frame, 16, sum)) return number;
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
