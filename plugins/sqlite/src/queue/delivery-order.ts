import { bytesOf, type HeldDelivery } from './held-delivery.js';

/** Which deliveries of a subscription can be claimed, of those that its lane has seen. */
export interface DeliveryOrder {
  /** How many are held in memory. */
  readonly size: number;
  /** How many were put in between. */
  readonly lateSize: number;
  /** One more at the end. `due`: false when its time has not come; then `arrived` follows. */
  add(delivery: HeldDelivery, due: boolean): void;
  /** One that was seen before has become due or comes back. */
  arrived(delivery: HeldDelivery): void;
  take(): HeldDelivery | undefined;
  /** One that was taken is gone for good. True when another can be claimed now that could not before. */
  gone(delivery: HeldDelivery): boolean;
  /** Forgets all, but for what is claimed. */
  clear(claimed: Iterable<HeldDelivery>): void;
}

/** In the order of the ids. */
export class PlainOrder implements DeliveryOrder {
  private readonly ready: ReadyList;

  constructor(use: MemoryUse) {
    this.ready = new ReadyList(use);
  }

  get size(): number {
    return this.ready.size;
  }

  get lateSize(): number {
    return this.ready.lateSize;
  }

  add(delivery: HeldDelivery, due: boolean): void {
    if (due) this.ready.push(delivery);
  }

  arrived(delivery: HeldDelivery): void {
    this.ready.insert(delivery);
  }

  take(): HeldDelivery | undefined {
    return this.ready.take();
  }

  gone(): boolean {
    return false;
  }

  clear(): void {
    this.ready.clear();
  }
}

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
