/** Longest run of keys that is moved by an insertion. */
const BLOCK = 512;

/** A set of texts that knows their order; insertion and removal cost about the same however many there are. */
export class SortedKeys {
  private readonly blocks: string[][] = [[]];

  add(key: string): void {
    const at = this.blockOf(key);
    const block = this.blocks[at] as string[];
    const index = position(block, (other) => other < key);
    if (block[index] === key) return;
    block.splice(index, 0, key);
    if (block.length > BLOCK * 2) this.blocks.splice(at + 1, 0, block.splice(BLOCK));
  }

  delete(key: string): void {
    const at = this.blockOf(key);
    const block = this.blocks[at] as string[];
    const index = position(block, (other) => other < key);
    if (block[index] !== key) return;
    block.splice(index, 1);
    if (block.length === 0 && this.blocks.length > 1) this.blocks.splice(at, 1);
  }

  /** At most `limit` keys from `from` on, below `to`. */
  slice(from: string, to: string, limit: number): string[] {
    const found: string[] = [];
    for (let at = this.blockOf(from); at < this.blocks.length && found.length < limit; at++) {
      const block = this.blocks[at] as string[];
      const start = position(block, (key) => key < from);
      const end = position(block, (key) => key < to);
      found.push(...block.slice(start, Math.min(end, start + limit - found.length)));
      if (end < block.length) break;
    }
    return found;
  }

  /** The last block that begins at or below the key. */
  private blockOf(key: string): number {
    return Math.max(0, position(this.blocks, (block) => block[0] !== undefined && block[0] <= key) - 1);
  }
}

/** Index of the first item for which `isBefore` does not hold. */
function position<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
