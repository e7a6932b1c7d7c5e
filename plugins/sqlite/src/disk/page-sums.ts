import { readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const BLOCK_BYTES = 4096;
/** The last word of a block is the checksum of the others. */
const SUMS_PER_BLOCK = BLOCK_BYTES / 4 - 1;

/**
 * The checksum of each page of a database, kept in blocks in a file beside it, from `start` on. A page whose sum is not known is
 * one that was never written since sums are kept.
 */
export class PageSums {
  private sums = new Uint32Array(SUMS_PER_BLOCK);
  private readonly changed = new Set<number>();
  /** In the file. */
  private blocks = 0;

  constructor(private readonly descriptor: number, private readonly start: number) {}

  /** How many blocks were not sound: what they said is not known any more. */
  load(bytes: number): number {
    const block = new Uint32Array(BLOCK_BYTES / 4);
    const text = Buffer.from(block.buffer);
    let bad = 0;
    this.blocks = Math.max(0, Math.floor((bytes - this.start) / BLOCK_BYTES));
    for (let index = 0; this.start + (index + 1) * BLOCK_BYTES <= bytes; index += 1) {
      readSync(this.descriptor, text, 0, BLOCK_BYTES, this.start + index * BLOCK_BYTES);
      this.grow((index + 1) * SUMS_PER_BLOCK);
      if (block[SUMS_PER_BLOCK] === blockSum(text)) this.sums.set(block.subarray(0, SUMS_PER_BLOCK), index * SUMS_PER_BLOCK);
      else if (block.some((word) => word !== 0)) bad += 1;
    }
    return bad;
  }

  /** Notes what a page holds. */
  note(page: number, content: Buffer): void {
    this.grow(page);
    this.sums[page - 1] = sumOf(content);
    this.changed.add(Math.floor((page - 1) / SUMS_PER_BLOCK));
  }

  /** False when the page is known to hold something else. */
  agrees(page: number, content: Buffer): boolean {
    return !this.knows(page) || this.sums[page - 1] === sumOf(content);
  }

  knows(page: number): boolean {
    return (this.sums[page - 1] ?? 0) !== 0;
  }

  /** Pages behind the end of the database are not known any more: SQLite gives their place back. */
  cut(pages: number): void {
    for (let page = pages + 1; page <= this.sums.length; page += 1) {
      if (this.sums[page - 1] === 0) continue;
      this.sums[page - 1] = 0;
      this.changed.add(Math.floor((page - 1) / SUMS_PER_BLOCK));
    }
  }

  /** The file has a block for each page up to this one: none of what is known of them was cut off. */
  covers(pages: number): boolean {
    return this.blocks * SUMS_PER_BLOCK >= pages;
  }

  /** Takes the room for the sums of so many pages: a disk that is full by then does not keep them from being saved. */
  reserve(pages: number): void {
    for (; !this.covers(pages); this.blocks += 1) writeSync(this.descriptor, Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, this.start + this.blocks * BLOCK_BYTES);
  }

  /** Writes what has changed; the caller syncs. */
  save(): void {
    const block = new Uint32Array(BLOCK_BYTES / 4);
    const text = Buffer.from(block.buffer);
    for (const index of this.changed) {
      block.set(this.sums.subarray(index * SUMS_PER_BLOCK, (index + 1) * SUMS_PER_BLOCK));
      block[SUMS_PER_BLOCK] = blockSum(text);
      writeSync(this.descriptor, text, 0, BLOCK_BYTES, this.start + index * BLOCK_BYTES);
      this.changed.delete(index);
      this.blocks = Math.max(this.blocks, index + 1);
    }
  }

  /** Always whole blocks. */
  private grow(pages: number): void {
    if (pages <= this.sums.length) return;
    const blocks = Math.ceil(Math.max(pages, this.sums.length * 2) / SUMS_PER_BLOCK);
    const larger = new Uint32Array(blocks * SUMS_PER_BLOCK);
    larger.set(this.sums);
    this.sums = larger;
  }
}

/** 0 means "not known". */
function sumOf(content: Buffer): number {
  return crc32(content) || 1;
}

function blockSum(block: Buffer): number {
  return crc32(block.subarray(0, SUMS_PER_BLOCK * 4));
}
