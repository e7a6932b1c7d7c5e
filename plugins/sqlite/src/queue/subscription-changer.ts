import { encodeKey, type StoredSubscription, type SubscriptionChange, type SubscriptionKey } from '@treadle/api';
import type { WriteRequest } from '../store/store-area.js';
import type { Lane } from './lane.js';
import type { QueueWork } from './queue-work.js';
import { SubscriptionPlan } from './subscription-plan.js';

/** Deliveries removed in one commit. */
const PORTION = 1_000;

/** How a lane is emptied. */
interface Removal {
  /** False ends it before its time. */
  wanted(): boolean;
  /** Removes a portion between two numbers; its result is how many they were. */
  portion(from: number, to: number): WriteRequest;
  /** A portion is gone. */
  removed(count: number): void;
}

/** Changes subscriptions, and removes what waits in them. */
export class SubscriptionChanger {
  /** Removals that were begun: one at a time of a lane. */
  private readonly removals = new Map<Lane, Promise<void>>();

  constructor(private readonly work: QueueWork) {}

  list(): StoredSubscription[] {
    return [...this.work.lanes.all()].filter((lane) => !lane.unrouted && !lane.retired).map(({ stored }) => stored);
  }

  async change(changes: readonly SubscriptionChange[]): Promise<void> {
    const retired = await this.work.gate.exclusive(() => this.write(changes));
    await Promise.all(retired.map((lane) => this.retire(lane)));
  }

  /** Goes on with retirements that an earlier engine began, or that failed. */
  async resume(): Promise<void> {
    await Promise.all([...this.work.lanes.all()].filter((lane) => lane.retired && !this.removals.has(lane)).map((lane) => this.retire(lane)));
  }

  async purge(key: SubscriptionKey): Promise<number> {
    const lane = this.work.lanes.get(key);
    if (!lane) return 0;
    const { number, unrouted } = lane;
    let purged = 0;
    await this.remove(lane, {
      // What lay unrouted belongs to whoever has subscribed meanwhile.
      wanted: () => lane.unrouted === unrouted,
      portion: (from, to) => ({ operation: 'queue.purge', rows: [[number, from, number, to, PORTION]] }),
      removed: (count) => void (purged += count),
    });
    if (unrouted) await this.drop(lane);
    return purged;
  }

  /** Takes an empty lane off the disk and out of memory: a retired one, or one for unrouted messages. */
  async drop(lane: Lane): Promise<void> {
    await this.work.gate.exclusive(async () => {
      if (!(lane.retired || lane.unrouted) || lane.kept > 0 || this.work.lanes.numbered(lane.number) !== lane) return;
      await this.work.store.apply({ operation: 'queue.subscriptions', rows: [['drop', lane.number]] });
      this.work.lanes.remove(lane);
    });
  }

  private async write(changes: readonly SubscriptionChange[]): Promise<readonly Lane[]> {
    const plan = new SubscriptionPlan(this.work.lanes, changes);
    if (plan.rows.length === 0) return plan.retired;
    await this.work.store.apply({ operation: 'queue.subscriptions', rows: plan.rows });
    plan.apply();
    this.work.due.look();
    for (const lane of plan.touched) this.work.touched.add(lane);
    this.work.tell();
    return plan.retired;
  }

  private async retire(lane: Lane): Promise<void> {
    const { number, stored } = lane;
    const key = [encodeKey(stored.step), encodeKey(stored.topic)];
    await this.remove(lane, {
      wanted: () => lane.retired,
      portion: (from, to) => ({ operation: 'queue.retire', rows: [[...key, this.work.now(), number, from, number, to, PORTION]] }),
      removed: (count) => void (lane.dead += count),
    });
    if (lane.over) await this.drop(lane);
  }

  private remove(lane: Lane, removal: Removal): Promise<void> {
    const act = (): Promise<void> => this.removeAll(lane, removal);
    // A failure of the one before is its caller's.
    const work = (this.removals.get(lane)?.then(act, act) ?? act()).finally(() => {
      if (this.removals.get(lane) === work) this.removals.delete(lane);
    });
    this.removals.set(lane, work);
    return work;
  }

  /** In portions, so that no commit takes long. */
  private async removeAll(lane: Lane, { wanted, portion, removed }: Removal): Promise<void> {
    let complete = false;
    try {
      for (const [from, to] of lane.beginRemoval()) {
        for (let found = PORTION; found === PORTION && wanted();) {
          found = Number(await this.work.store.apply(portion(from, to)));
          lane.kept -= found;
          removed(found);
        }
      }
      complete = wanted();
    } finally {
      lane.endRemoval(complete);
      // What was spared may have come back meanwhile.
      if (lane.kept > 0) this.work.touched.add(lane);
      this.work.tell();
    }
  }
}
