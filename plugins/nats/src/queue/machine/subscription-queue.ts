import type { StoredSubscription } from '@treadle/api';
import { type Delivery, FRESH, type Hold, type Unrouted } from './delivery.js';
import { Heap } from './heap.js';

/** Bytes of messages after which a claim ends early. */
const CLAIM_BYTES = 4_000_000;
/** Ends of leases that are kept beside those that hold still. */
const SPARE_LEASES = 1_000;

type Standing = 'waiting' | 'delayed' | 'retrying' | 'active';
type Moment = readonly [at: number, id: number];

/** A claim that is wanted. */
export interface Wanted {
  readonly max: number;
  readonly total?: number | undefined;
  readonly hold: (id: number) => Hold;
}

/** A subscription and its deliveries in the order of their ids. What can be claimed is `offered`: all that are due, of a fifo group only the head. */
export class SubscriptionQueue {
  /** In the order of their ids. */
  readonly deliveries = new Map<number, Delivery>();
  /** Members that want it: 0 while it is there, and of those that have ended when the last one has. */
  readonly votes = new Map<string, number>();
  readonly counts: Record<Standing, number> = { waiting: 0, delayed: 0, retrying: 0, active: 0 };
  /** Gets nothing new; goes when its last claim is settled. */
  retired = false;
  /** Something can be claimed that could not be before. */
  news = false;
  /** It has been claimed with a limit over all engines: each end of a claim may let another engine go on. */
  private limited = false;
  private readonly offered = new Set<number>();
  private readonly order = new Heap<number>((a, b) => a < b);
  private readonly dues = new Heap<Moment>(isSooner);
  private readonly leases = new Heap<Moment>(isSooner);
  private readonly groups = new Map<string, number[]>();

  constructor(public stored: StoredSubscription) {}

  /** What can be claimed now, but for a pause. */
  get claimable(): number {
    return this.offered.size;
  }

  /** Its member has ended. */
  endVote(member: string, now: number): void {
    if (!this.votes.has(member)) return;
    let last = now;
    for (const [other, ended] of this.votes) {
      last = Math.max(last, ended);
      if (ended !== 0) this.votes.delete(other);
    }
    this.votes.set(member, last);
  }

  /** Its id is higher than those before. */
  add({ dueAt, ...message }: Unrouted, now: number): void {
    const { delayMs } = this.stored;
    const due = delayMs > 0 ? Math.max(dueAt, message.enqueuedAt + delayMs) : dueAt;
    const delivery = { ...message, dueAt: due, later: due > now, progress: FRESH };
    this.keep(delivery);
    this.join(delivery);
    this.place(delivery);
  }

  /** Takes in deliveries as they were elsewhere, in order, behind those that are here. */
  load(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      this.keep(delivery);
      this.join(delivery);
      this.place(delivery);
    }
  }

  /** Takes the order from the deliveries: the subscription may have become fifo, or none. */
  arrange(): void {
    for (const each of [this.offered, this.order, this.dues, this.leases, this.groups]) each.clear();
    if (this.stored.fifo) for (const delivery of this.deliveries.values()) this.join(delivery);
    for (const delivery of this.deliveries.values()) this.place(delivery);
  }

  /** What has fallen due, and claims whose lease is over, can be claimed from now on. */
  advance(now: number): void {
    for (let first = this.dues.first; first && first[0] <= now; first = this.dues.first) {
      this.dues.pop();
      const delivery = this.deliveries.get(first[1]);
      if (delivery?.later && delivery.dueAt <= now) this.change(delivery, { later: false });
    }
    for (let first = this.leases.first; first && first[0] <= now; first = this.leases.first) {
      this.leases.pop();
      const delivery = this.deliveries.get(first[1]);
      if (delivery?.held && delivery.held.until <= now) this.free(delivery);
    }
  }

  /** When something more can be claimed: the next delivery falls due, or a lease is over. */
  nextAt(): number | undefined {
    const due = this.firstOf(this.dues, ({ later, dueAt }) => (later ? dueAt : undefined));
    const end = this.firstOf(this.leases, ({ held }) => held?.until);
    const next = Math.min(due, end);
    return next === Infinity ? undefined : next;
  }

  /** Claims what is offered, in order: as much as this engine is to have of it. Says whether another call could get more. */
  claim({ max, total, hold }: Wanted): { readonly taken: readonly Delivery[]; readonly more: boolean } {
    const taken: Delivery[] = [];
    if (total !== undefined) this.limited = true;
    const wished = total === undefined ? max : Math.min(max, total - this.counts.active);
    const share = this.shareOf(wished);
    for (let bytes = 0; taken.length < share && bytes < CLAIM_BYTES;) {
      const delivery = this.takeFirst();
      if (!delivery) break;
      const held = { ...delivery, held: hold(delivery.id) };
      this.keep(held);
      this.leases.push([held.held.until, held.id]);
      taken.push(held);
      for (const ref of [delivery.body, delivery.data]) bytes += ref ? ref[2] - ref[1] : 0;
    }
    return { taken, more: taken.length < wished && this.offered.size > 0 };
  }

  /** The claim holds from now on until then. */
  renew(delivery: Delivery, hold: Hold): void {
    this.keep({ ...delivery, held: hold });
    this.leases.push([hold.until, delivery.id]);
    if (this.leases.size > 2 * this.counts.active + SPARE_LEASES) this.arrange();
  }

  /** Ends a claim; the delivery keeps its place. */
  free(delivery: Delivery): void {
    this.change(delivery, { held: undefined });
  }

  change(delivery: Delivery, change: Partial<Delivery>): void {
    const changed = { ...delivery, ...change };
    this.keep(changed);
    this.place(changed);
    if (delivery.held && !changed.held) this.hasEnded();
  }

  remove(delivery: Delivery): void {
    this.counts[standingOf(delivery)] -= 1;
    this.deliveries.delete(delivery.id);
    this.offered.delete(delivery.id);
    if (this.stored.fifo) this.moveUp(groupOf(delivery));
    if (delivery.held) this.hasEnded();
  }

  /** Forgets moments that are no delivery's any more. */
  private firstOf(moments: Heap<Moment>, momentOf: (delivery: Delivery) => number | undefined): number {
    for (let first = moments.first; first; first = moments.first) {
      const delivery = this.deliveries.get(first[1]);
      if (delivery && momentOf(delivery) === first[0]) return first[0];
      moments.pop();
    }
    return Infinity;
  }

  private hasEnded(): void {
    if (this.limited && this.offered.size > 0) this.news = true;
  }

  /** A fair part of what is offered, where several living engines want the subscription. */
  private shareOf(wished: number): number {
    let living = 0;
    for (const ended of this.votes.values()) if (ended === 0) living += 1;
    return living < 2 ? wished : Math.min(wished, Math.ceil(Math.min(this.offered.size, wished * living) / living));
  }

  private takeFirst(): Delivery | undefined {
    for (let id = this.order.pop(); id !== undefined; id = this.order.pop()) {
      if (this.offered.delete(id)) return this.deliveries.get(id);
    }
    return undefined;
  }

  private keep(delivery: Delivery): void {
    const before = this.deliveries.get(delivery.id);
    if (before) this.counts[standingOf(before)] -= 1;
    this.counts[standingOf(delivery)] += 1;
    this.deliveries.set(delivery.id, delivery);
  }

  private join(delivery: Delivery): void {
    if (!this.stored.fifo) return;
    const group = this.groups.get(groupOf(delivery));
    if (group) group.push(delivery.id);
    else this.groups.set(groupOf(delivery), [delivery.id]);
  }

  /** Where a delivery waits: for its time, for the end of its claim, or for somebody who claims it. */
  private place(delivery: Delivery): void {
    if (delivery.held) this.leases.push([delivery.held.until, delivery.id]);
    else if (delivery.later) this.dues.push([delivery.dueAt, delivery.id]);
    else if (!this.stored.fifo || this.headOf(groupOf(delivery)) === delivery.id) this.offer(delivery.id);
  }

  private offer(id: number): void {
    if (this.offered.has(id)) return;
    this.offered.add(id);
    this.order.push(id);
    this.news = true;
  }

  private moveUp(group: string): void {
    const head = this.headOf(group);
    const delivery = head === undefined ? undefined : this.deliveries.get(head);
    if (delivery && !delivery.held && !delivery.later) this.offer(delivery.id);
  }

  private headOf(group: string): number | undefined {
    const ids = this.groups.get(group);
    while (ids && ids.length > 0 && !this.deliveries.has(ids[0] as number)) ids.shift();
    if (ids?.length === 0) this.groups.delete(group);
    return ids?.[0];
  }
}

function standingOf({ held, later, progress }: Delivery): Standing {
  if (held) return 'active';
  if (!later) return 'waiting';
  return progress.attempts + progress.deaths > 0 ? 'retrying' : 'delayed';
}

function groupOf({ groupId = '' }: Delivery): string {
  return groupId;
}

function isSooner(a: Moment, b: Moment): boolean {
  return a[0] < b[0];
}
