import { type DeliveryOrder, type MemoryUse, type ReadOne, ReadyList } from './delivery-order.js';
import { bytesOf, type HeldDelivery } from './held-delivery.js';

/** A delivery as the disk has it. */
export interface ReadDelivery {
  readonly delivery: HeldDelivery;
  /** Its time has come, and nobody has claimed it. */
  readonly due: boolean;
}

/** Deliveries that were read, and whether there may be more: large ones are read in smaller portions than was asked for. */
export interface ReadPortion {
  readonly read: readonly ReadDelivery[];
  readonly more: boolean;
}

/** Reads the next deliveries of a group that the lane has seen, after a number; at most `limit`. */
export type ReadGroup = (group: string, after: number, limit: number) => ReadPortion;

/** A group with at least one delivery that the lane has seen. */
interface Group {
  /** The one that can be claimed, is claimed, or is not due: nobody else of the group moves. */
  head: number;
  /** Follow it, in memory. */
  readonly tail: HeldDelivery[];
  /** Last number of head and tail; the rest is on the disk. */
  last: number;
  onDisk: boolean;
}

/** Kept in memory of what follows a head, and read at once. */
const TAIL = 16;

const NOTHING: ReadPortion = { read: [], more: false };

/** One delivery at a time of each group, each group in the order of the ids. Groups without deliveries take no memory. */
export class FifoOrder implements DeliveryOrder {
  private readonly ready: ReadyList;
  private readonly groups = new Map<string, Group>();
  private inTails = 0;

  constructor(private readonly use: MemoryUse, private readonly read: ReadGroup, one: ReadOne) {
    this.ready = new ReadyList(use, one);
  }

  get size(): number {
    return this.ready.size + this.inTails;
  }

  get lateSize(): number {
    return this.ready.lateSize;
  }

  add(delivery: HeldDelivery, due: boolean): void {
    const { groupId = '', deliveryId: id } = delivery;
    const group = this.groups.get(groupId);
    if (!group) this.groups.set(groupId, { head: id, tail: [], last: id, onDisk: false });
    if (!group || group.head === id) {
      if (due) this.ready.insert(delivery);
    } else this.follow(group, delivery, due);
  }

  arrived(delivery: HeldDelivery): void {
    if (this.groups.get(delivery.groupId ?? '')?.head === delivery.deliveryId) this.ready.insert(delivery);
  }

  arrivedUnread(id: number, group: string): void {
    if (this.groups.get(group)?.head === id) this.ready.insertUnread(id);
  }

  take(): HeldDelivery | undefined {
    return this.ready.take();
  }

  gone({ groupId = '', deliveryId }: HeldDelivery): boolean {
    const group = this.groups.get(groupId);
    if (!group || group.head !== deliveryId) return false;
    const next = group.tail.shift();
    if (next) {
      this.inTails -= 1;
      this.use.bytes -= bytesOf(next);
      group.head = next.deliveryId;
      this.ready.insert(next);
      return true;
    }
    return this.advance(groupId, group);
  }

  clear(claimed: Iterable<HeldDelivery>): void {
    this.ready.clear();
    for (const { tail } of this.groups.values()) for (const one of tail) this.use.bytes -= bytesOf(one);
    this.inTails = 0;
    this.groups.clear();
    for (const { groupId = '', deliveryId: id } of claimed) this.lead(groupId, id);
  }

  /** Several of a group are claimed when its subscription was not fifo before: the first leads, the others are met on the disk. */
  private lead(groupId: string, id: number): void {
    const others = this.groups.get(groupId);
    const head = Math.min(id, others?.head ?? id);
    this.groups.set(groupId, { head, tail: [], last: head, onDisk: others !== undefined });
  }

  /** One that is not due does not stay in memory: whether it is when its turn comes is read then. */
  private follow(group: Group, delivery: HeldDelivery, due: boolean): void {
    if (delivery.deliveryId < group.last) this.goBack(group, delivery.deliveryId);
    if (!due || group.onDisk || group.tail.length >= TAIL || this.use.bytes > this.use.maxBytes) {
      group.onDisk = true;
      return;
    }
    group.tail.push(delivery);
    group.last = delivery.deliveryId;
    this.inTails += 1;
    this.use.bytes += bytesOf(delivery);
  }

  /** It comes before what is claimed: it failed while its subscription was not fifo. It is read before the others. */
  private goBack(group: Group, id: number): void {
    for (const one of group.tail) this.use.bytes -= bytesOf(one);
    this.inTails -= group.tail.length;
    group.tail.length = 0;
    group.last = id - 1;
    group.onDisk = true;
  }

  private advance(groupId: string, group: Group): boolean {
    const { read, more } = group.onDisk ? this.read(groupId, group.last, TAIL) : NOTHING;
    const [first, ...others] = read;
    if (!first) {
      this.groups.delete(groupId);
      return false;
    }
    group.head = group.last = first.delivery.deliveryId;
    group.onDisk = false;
    for (const { delivery, due } of others) this.follow(group, delivery, due);
    group.onDisk ||= more;
    if (first.due) this.ready.insert(first.delivery);
    return first.due;
  }
}
