import { bytesOf, type HeldDelivery } from './held-delivery.js';

/** What all ready lists of a store hold together. */
export interface MemoryUse {
  bytes: number;
  readonly maxBytes: number;
}

/** Used up places in front before they are given back. */
const COMPACT_AT = 1024;

/** Deliveries that can be claimed, in the order of their ids: new ones at the end, those that come back in between. */
export class ReadyList {
  private items: (HeldDelivery | undefined)[] = [];
  private head = 0;
  /** Came back, or became due, after later ones were added; sorted. */
  private late: HeldDelivery[] = [];

  constructor(private readonly use: MemoryUse) {}

  get size(): number {
    return this.items.length - this.head + this.late.length;
  }

  /** Those that were put in between. */
  get lateSize(): number {
    return this.late.length;
  }

  push(delivery: HeldDelivery): void {
    this.use.bytes += bytesOf(delivery);
    this.items.push(delivery);
  }

  insert(delivery: HeldDelivery): void {
    const last = this.items.at(-1);
    if (this.head === this.items.length || (last && last.deliveryId < delivery.deliveryId)) {
      this.push(delivery);
      return;
    }
    this.use.bytes += bytesOf(delivery);
    this.late.splice(placeIn(this.late, delivery.deliveryId), 0, delivery);
  }

  take(): HeldDelivery | undefined {
    const [late] = this.late;
    const next = this.head < this.items.length ? this.items[this.head] : undefined;
    const first = late && (!next || late.deliveryId < next.deliveryId) ? this.late.shift() : this.shift();
    if (first) this.use.bytes -= bytesOf(first);
    return first;
  }

  clear(): void {
    while (this.take());
  }

  private shift(): HeldDelivery | undefined {
    if (this.head === this.items.length) return undefined;
    const first = this.items[this.head];
    this.items[this.head] = undefined;
    this.head += 1;
    if (this.head === this.items.length) {
      this.items = [];
      this.head = 0;
    } else if (this.head >= COMPACT_AT && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return first;
  }
}

function placeIn(sorted: readonly HeldDelivery[], id: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.deliveryId ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
