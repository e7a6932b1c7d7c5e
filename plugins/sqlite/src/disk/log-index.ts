import { readSync } from 'node:fs';
import { checksum } from '@treadle/api/write-ahead-log';

/** A part of SQLite's index of a log: a header in the first one, page numbers, a table of hashes. @source sqlite.org/walformat.html, section 2.2 */
const PART_BYTES = 32_768;
const PAGES_PER_PART = 4_096;
const HEADER_WORDS = 34;

/**
 * Which frame of the log has each page last, of the frames behind `after` up to `to`. `index`: SQLite's `-shm` file, whose page
 * numbers are one read instead of one for each frame.
 */
export function lastFrames(index: number, after: number, to: number): ReadonlyMap<number, number> {
  const last = new Map<number, number>();
  const part = new Uint32Array(PAGES_PER_PART);
  const bytes = Buffer.from(part.buffer);
  for (let frame = after + 1; frame <= to;) {
    // Counted with the words of the header, every part has as many.
    const place = frame - 1 + HEADER_WORDS;
    const from = place % PAGES_PER_PART;
    const count = Math.min(PAGES_PER_PART - from, to - frame + 1);
    readSync(index, bytes, 0, count * 4, Math.floor(place / PAGES_PER_PART) * PART_BYTES + from * 4);
    for (let at = 0; at < count; at += 1) last.set(part[at] as number, frame + at);
    frame += count;
  }
  return last;
}

/** How far a log goes, as the header of its index says it. */
export interface IndexedLog {
  /** Which log: its salt. */
  readonly salt: Buffer;
  readonly frames: number;
  /** Of the database after them. */
  readonly pages: number;
}

/** The header is there twice, so that one of them is whole whenever its writer died. @source sqlite.org/walformat.html, section 2.1 */
const HEADER_BYTES = 48;
const SUM_WORD = 10;

/**
 * How far the log goes as the index has it, which is written with each commit after its sync and survives a killed process;
 * undefined when no copy of its header is sound. `index`: SQLite's `-shm` file.
 */
export function readIndexedLog(index: number): IndexedLog | undefined {
  const words = new Uint32Array(2 * HEADER_BYTES / 4);
  const bytes = Buffer.from(words.buffer);
  if (readSync(index, bytes, 0, bytes.length, 0) < bytes.length) return undefined;
  const copies = [0, HEADER_BYTES / 4].map((from) => words.subarray(from, from + HEADER_BYTES / 4)).filter(isSound);
  const [last] = copies.sort((one, other) => (other[4] as number) - (one[4] as number));
  if (!last) return undefined;
  return { salt: Buffer.from(bytes.subarray(last.byteOffset + 32, last.byteOffset + 40)), frames: last[4] as number, pages: last[5] as number };
}

function isSound(header: Uint32Array): boolean {
  const [one, two] = checksum(header, 0, SUM_WORD, [0, 0]);
  return header[0] !== 0 && header[SUM_WORD] === one && header[SUM_WORD + 1] === two;
}
