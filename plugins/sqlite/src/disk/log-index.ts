import { readSync } from 'node:fs';

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
