import type { HeldDelivery } from './held-delivery.js';

/** About what one subscription has claimed at once; a power of two. More go into a map. */
const SLOTS = 512;

/**
 * Claimed deliveries of a subscription by their numbers. Numbers are given out in order, so the low bits of a number are its
 * slot; one that finds it taken goes into a map. A map alone would keep messages alive that are long gone: the table that a
 * Map of V8 leaves behind when it grows or is compacted points to its successor.
 */
export class Claims {
  private slots: (HeldDelivery | undefined)[] = [];
  private readonly overflow = new Map<number, HeldDelivery>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(number: number): HeldDelivery | undefined {
    const held = this.slots[number % SLOTS];
    return held?.deliveryId === number ? held : this.overflow.get(number);
  }

  has(number: number): boolean {
    return this.get(number) !== undefined;
  }

  /** It must not be there yet. */
  add(delivery: HeldDelivery): void {
    // Most subscriptions of a large application are quiet: they need no slots.
    if (this.slots.length === 0) this.slots = new Array<HeldDelivery | undefined>(SLOTS).fill(undefined);
    const slot = delivery.deliveryId % SLOTS;
    if (this.slots[slot] === undefined) this.slots[slot] = delivery;
    else this.overflow.set(delivery.deliveryId, delivery);
    this.count += 1;
  }

  delete(number: number): void {
    const slot = number % SLOTS;
    if (this.slots[slot]?.deliveryId === number) this.slots[slot] = undefined;
    else if (!this.overflow.delete(number)) return;
    this.count -= 1;
  }

  /** A copy, in no order. */
  all(): readonly HeldDelivery[] {
    return [...this.slots.filter((held) => held !== undefined), ...this.overflow.values()];
  }
}
