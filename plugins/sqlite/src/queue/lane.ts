import { type ClaimRequest, type DeliveryClaim, encodeKey, type QueueDelivery, type StoredSubscription, type SubscriptionStatistics } from '@treadle/api';
import { type DeliveryOrder, type MemoryUse, PlainOrder } from './delivery-order.js';
import { FifoOrder, type ReadPortion } from './fifo-order.js';
import { Claims } from './claims.js';
import type { HeldDelivery } from './held-delivery.js';
import type { LookBudget } from './look-budget.js';
import { MOST } from './queue-schema.js';
import type { LaneRow, LaterCount, QueueReader, Span } from './queue-reader.js';

/** Deliveries of one subscription in memory; more wait on the disk. */
const MOST_HELD = 10_000;
/** Deliveries read at once. */
const PORTION = 256;
/** Deliveries among which a portion is looked for at once, where many are not due. */
const STRETCH = 4_096;

/** What all lanes of a store have in common. */
export interface LaneSurroundings {
  readonly reader: QueueReader;
  readonly memory: MemoryUse;
  readonly looks: LookBudget<Lane>;
  /** Deliveries with a time up to it count as due; milliseconds since the epoch. */
  cursor(): number;
  nextEpoch(): string;
}

/** What is being removed from a lane: all up to a number, but for some. */
interface Removal {
  readonly upTo: number;
  readonly spared: ReadonlySet<number>;
  /** What was spared is to be looked at again afterwards. */
  again: boolean;
}

/**
 * A subscription's deliveries. Up to `seen` they have been looked at: those that can be claimed are in `order`, or are
 * claimed; those that are not due come by `arrived`. What was committed after `seen` is read from the disk in order.
 */
export class Lane {
  readonly number: number;
  readonly claims = new Claims();
  stored: StoredSubscription;
  retired: boolean;
  /** On the disk, claimed ones too. */
  kept = 0;
  /** On their way to the disk. */
  coming = 0;
  dead = 0;
  delayed = 0;
  retrying = 0;
  /** What is not due has to be counted anew before it is told. */
  uncounted = false;
  /** Numbers up to it are reserved on the disk. */
  ceiling: number;
  private last: number;
  private seen: number;
  private committed: number;
  private removal: Removal | undefined;
  private order: DeliveryOrder;

  /** `isNew`: there is nothing of it on the disk. */
  constructor({ number, stored, retired, ceiling }: LaneRow, private readonly around: LaneSurroundings, isNew = false) {
    this.number = number;
    this.stored = stored;
    this.retired = retired;
    this.ceiling = this.last = this.committed = ceiling;
    this.seen = isNew ? ceiling : 0;
    this.order = this.newOrder();
  }

  /** Kept for those who will subscribe. */
  get unrouted(): boolean {
    return this.stored.step === '';
  }

  /** Retired, and nothing of it is left. */
  get over(): boolean {
    return this.retired && this.kept === 0;
  }

  /** Of the delivery that was made last. */
  get lastNumber(): number {
    return this.last;
  }

  nextNumber(): number {
    this.last += 1;
    return this.last;
  }

  /** Changes how it delivers; the caller changes the disk. */
  change(stored: StoredSubscription): void {
    const wasFifo = this.stored.fifo;
    const renamed = this.stored.step !== stored.step;
    this.stored = stored;
    if (wasFifo === stored.fifo && !renamed) return;
    this.order.clear([]);
    this.order = this.newOrder();
    this.rewind();
  }

  /** Looks at everything again; what is being removed is not to be claimed. */
  rewind(): void {
    this.seen = this.removal ? Math.min(this.removal.upTo, this.committed) : 0;
    if (this.removal) this.removal.again = true;
    this.order.clear(this.claims.all());
  }

  /** A delivery is on the disk. Without `delivery` it is read when its turn comes. */
  added(number: number, delivery: HeldDelivery | undefined, due: boolean): void {
    const upToDate = this.seen === this.committed;
    this.committed = number;
    if (this.removal && number <= this.removal.upTo) this.seen = number;
    else if (delivery && upToDate && !this.unrouted && this.hasRoom()) {
      this.seen = number;
      this.order.add(delivery, due);
    }
  }

  claim({ max }: ClaimRequest, into: QueueDelivery[]): void {
    if (this.stored.paused || this.retired) return;
    for (let count = 0; count < max; count += 1) {
      const delivery = this.take();
      if (!delivery) return;
      delivery.epoch = this.around.nextEpoch();
      this.claims.add(delivery);
      into.push(delivery);
    }
  }

  /** The claimed delivery, when the claim holds. */
  claimed({ deliveryId, epoch }: DeliveryClaim): HeldDelivery | undefined {
    const delivery = this.claims.get(deliveryId);
    return delivery && !delivery.settling && delivery.epoch === epoch ? delivery : undefined;
  }

  /** A claimed delivery is gone from the disk. True when another can be claimed that could not before. */
  gone(delivery: HeldDelivery): boolean {
    this.claims.delete(delivery.deliveryId);
    this.kept -= 1;
    return this.order.gone(delivery);
  }

  /** A claimed delivery is back on the disk as `delivery`. */
  returned(delivery: HeldDelivery, dueAt: number): void {
    this.claims.delete(delivery.deliveryId);
    if (dueAt > this.around.cursor()) this.countLater(delivery.progress.attempts + delivery.progress.deaths > 0, 1);
    else if (delivery.deliveryId <= this.seen) this.order.arrived(delivery);
  }

  countLater(tried: boolean, by: number): void {
    if (tried) this.retrying += by;
    else this.delayed += by;
  }

  /** The time of a delivery has come. False when it does not count: it is claimed, or its commit has not been noted. */
  arrived(number: number, tried: boolean): boolean {
    if (number > this.committed || this.claims.has(number)) return false;
    if (this.removal && number <= this.removal.upTo && !this.removal.spared.has(number)) return false;
    this.countLater(tried, -1);
    if (this.unrouted || number > this.seen) return true;
    const { reader } = this.around;
    const delivery = this.hasRoom() ? reader.one(this, number) : undefined;
    if (delivery) this.order.arrived(delivery);
    else this.order.arrivedUnread(number, this.stored.fifo ? reader.groupOf(this, number) : '');
    if (this.order.lateSize > MOST_HELD) this.rewind();
    return true;
  }

  /** So much has become due at once that it is not told one by one. */
  arrivedMany(): void {
    this.uncounted = true;
    this.rewind();
  }

  /** Everything up to now is to be removed but for what is claimed. Gives the ranges of numbers to remove. */
  beginRemoval(): (readonly [from: number, to: number])[] {
    const spared = new Set(this.claims.all().map(({ deliveryId }) => deliveryId));
    this.removal = { upTo: this.last, spared, again: false };
    this.seen = this.committed;
    this.order.clear(this.claims.all());
    const edges = [0, ...[...spared].sort((a, b) => a - b), this.last + 1];
    return edges.slice(1).flatMap((edge, index) => {
      const from = (edges[index] ?? 0) + 1;
      return from < edge ? [[from, edge - 1] as const] : [];
    });
  }

  endRemoval(complete: boolean): void {
    const again = this.removal?.again === true;
    this.removal = undefined;
    if (!complete || again) this.rewind();
    this.recount();
  }

  /** It got deliveries that it has not seen, with numbers up to `last`. */
  adopt(count: number, last: number): void {
    this.kept += count;
    this.last = this.committed = this.ceiling = Math.max(this.last, last);
    this.recount();
  }

  /** Counts what is not due. */
  recount(): void {
    this.counted(this.around.reader.later(this.around.cursor()).get(this.number));
  }

  /** So many of it are not due on the disk. What is claimed counts when it comes back, what is on its way when it is noted. */
  counted(later: LaterCount | undefined): void {
    this.delayed = later?.delayed ?? 0;
    this.retrying = later?.retrying ?? 0;
    this.uncounted = false;
    if (!later) return;
    const { reader, cursor } = this.around;
    const apart = this.claims.all().map(({ deliveryId }) => this.span(deliveryId - 1, deliveryId));
    for (const span of [...apart, this.span(this.committed, MOST)]) {
      const { delayed, retrying } = reader.laterIn(span, cursor());
      this.delayed -= delayed;
      this.retrying -= retrying;
    }
  }

  statistics(): SubscriptionStatistics {
    const { stored: { step, topic }, claims: { size: active }, delayed, retrying, dead } = this;
    const oldest = this.kept > 0 ? this.around.reader.oldest(this) : undefined;
    return { step, topic, waiting: this.kept - active - delayed - retrying, delayed, retrying, active, dead, ...oldest !== undefined && { oldest } };
  }

  private hasRoom(): boolean {
    const { bytes, maxBytes } = this.around.memory;
    return this.order.size < MOST_HELD && (bytes < maxBytes || this.order.size === 0);
  }

  private take(): HeldDelivery | undefined {
    const { looks } = this.around;
    let delivery = this.order.take();
    while (!delivery && this.seen !== this.committed && looks.allows(this)) {
      this.look();
      delivery = this.order.take();
      if (!delivery) looks.spend();
    }
    return delivery;
  }

  /** Looks at the next portion on the disk. */
  private look(): void {
    const { reader } = this.around;
    const span = this.span(this.seen, this.stretch());
    const { read, more } = this.stored.fifo ? reader.all(span, this.around.cursor(), PORTION) : reader.portion(span, this.around.cursor(), PORTION);
    for (const { delivery, due } of read) if (!this.claims.has(delivery.deliveryId)) this.order.add(delivery, due);
    this.seen = (more ? read.at(-1)?.delivery.deliveryId : undefined) ?? span.upTo;
  }

  /** Up to where to look at once: those that are not due are passed over on the way, and there may be very many of them. */
  private stretch(): number {
    const { seen, committed, delayed, retrying, uncounted } = this;
    const mayBeLong = committed - seen > STRETCH && (uncounted || delayed + retrying > STRETCH);
    return (mayBeLong ? this.around.reader.edge(this.span(seen, committed), STRETCH) : undefined) ?? committed;
  }

  private span(after: number, upTo: number): Span {
    return { lane: this, after, upTo };
  }

  private newOrder(): DeliveryOrder {
    const { memory, reader } = this.around;
    const one = (number: number): HeldDelivery | undefined => reader.one(this, number);
    return this.stored.fifo ? new FifoOrder(memory, (group, after, limit) => this.readGroup(group, after, limit), one) : new PlainOrder(memory, one);
  }

  private readGroup(group: string, after: number, limit: number): ReadPortion {
    const { reader, cursor } = this.around;
    const { read, more } = reader.group(encodeKey(group), this.span(after, this.seen), cursor(), limit);
    return { read: read.map(({ delivery, due }) => ({ delivery, due: due && !this.claims.has(delivery.deliveryId) })), more };
  }
}
