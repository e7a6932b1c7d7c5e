import type { HeldDelivery } from './held-delivery.js';
import { type MemoryUse, ReadyList } from './ready-list.js';

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
