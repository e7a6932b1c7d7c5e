import { bytesOf, type HeldDelivery } from './held-delivery.js';

/** Which deliveries of a subscription can be claimed, of those that its lane has seen. */
export interface DeliveryOrder {
  /** How many are held in memory. */
  readonly size: number;
  /** How many were put in between, read or not. */
  readonly lateSize: number;
  /** One more at the end. `due`: false when its time has not come; then `arrived` follows. */
  add(delivery: HeldDelivery, due: boolean): void;
  /** One that was seen before has become due or comes back. */
  arrived(delivery: HeldDelivery): void;
  /** As `arrived`, where there is no room for it: it is read when it is taken. `group`: the one that it belongs to, of a fifo subscription. */
  arrivedUnread(id: number, group: string): void;
  take(): HeldDelivery | undefined;
  /** One that was taken is gone for good. True when another can be claimed now that could not before. */
  gone(delivery: HeldDelivery): boolean;
  /** Forgets all, but for what is claimed. */
  clear(claimed: Iterable<HeldDelivery>): void;
}

/** Reads a delivery; undefined when it is gone. */
export type ReadOne = (id: number) => HeldDelivery | undefined;

/** In the order of the ids. */
export class PlainOrder implements DeliveryOrder {
  private readonly ready: ReadyList;

  constructor(use: MemoryUse, read: ReadOne) {
    this.ready = new ReadyList(use, read);
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

  arrivedUnread(id: number): void {
    this.ready.insertUnread(id);
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

/** A delivery in memory, or the number of one that is on the disk alone. */
type Late = HeldDelivery | number;

/** Deliveries that can be claimed, in the order of their ids: new ones at the end, those that come back in between. */
export class ReadyList {
  private items: (HeldDelivery | undefined)[] = [];
  private head = 0;
  /** Came back, or became due, after later ones were added; sorted. */
  private late: Late[] = [];

  constructor(private readonly use: MemoryUse, private readonly read: ReadOne) {}

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

  /** There is no room for it in memory. */
  insertUnread(id: number): void {
    this.late.splice(placeIn(this.late, id), 0, id);
  }

  take(): HeldDelivery | undefined {
    for (;;) {
      const [late] = this.late;
      const next = this.head < this.items.length ? this.items[this.head] : undefined;
      if (late === undefined || (next && next.deliveryId < idOf(late))) return this.released(this.shift());
      this.late.shift();
      const first = typeof late === 'number' ? this.read(late) : this.released(late);
      if (first) return first;
    }
  }

  clear(): void {
    for (let at = this.head; at < this.items.length; at += 1) this.released(this.items[at]);
    for (const late of this.late) if (typeof late !== 'number') this.released(late);
    this.items = [];
    this.late = [];
    this.head = 0;
  }

  private released(delivery: HeldDelivery | undefined): HeldDelivery | undefined {
    if (delivery) this.use.bytes -= bytesOf(delivery);
    return delivery;
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

const idOf = (late: Late): number => (typeof late === 'number' ? late : late.deliveryId);

function placeIn(sorted: readonly Late[], id: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (idOf(sorted[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
