import { readSync } from 'node:fs';
import type { PageSums } from './page-sums.js';

const CHUNK_BYTES = 1024 * 1024;
const PAGE_SIZE_AT = 16;

/** The part of a database to compare with its sums. */
export interface PageRange {
  /** From 1. */
  readonly from: number;
  readonly to: number;
  readonly pageSize: number;
  /** Pages that the log has newer, so that what the database has for them says nothing. */
  readonly except?: ReadonlySet<number>;
}

/** Size of the pages of a database in bytes, as its first page tells it; 0 when that is not sound. */
export function pageSizeOf(descriptor: number): number {
  const bytes = Buffer.alloc(2);
  if (readSync(descriptor, bytes, 0, 2, PAGE_SIZE_AT) < 2) return 0;
  const size = bytes.readUInt16BE(0);
  if (size === 1) return 65_536;
  return size >= 512 && (size & (size - 1)) === 0 ? size : 0;
}

/** Calls `found` for each page of a range whose content is known to have been another one. Learns the sums of those that were not known. */
export function checkPages(descriptor: number, sums: PageSums, range: PageRange, found: (page: number) => void): void {
  const { from, to, pageSize, except } = range;
  const chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, pageSize));
  const perChunk = Math.floor(chunk.length / pageSize);
  for (let first = from; first <= to; first += perChunk) {
    const count = Math.min(perChunk, to - first + 1);
    const read = readSync(descriptor, chunk, 0, count * pageSize, (first - 1) * pageSize);
    for (let at = 0; at < count; at += 1) {
      const page = first + at;
      if (except?.has(page)) continue;
      const content = chunk.subarray(at * pageSize, (at + 1) * pageSize);
      const isThere = (at + 1) * pageSize <= read;
      if (!isThere && sums.knows(page)) found(page);
      else if (isThere && !sums.knows(page)) sums.note(page, content);
      else if (isThere && !sums.agrees(page, content)) found(page);
    }
  }
}
