import type { StoredSubscription, SubscriptionChange, SubscriptionKey } from '@treadle/api';
import { encodeKey } from '../store/key-text.js';
import type { WriteRequest } from '../store/store-area.js';
import type { Lane } from './lane.js';
import type { QueueWork } from './queue-work.js';
import { SubscriptionPlan } from './subscription-plan.js';

/** Deliveries removed in one commit. */
const PORTION = 1_000;
const PAGES_PER_PORTION = 300;

/** Removes a portion of a lane between two numbers; says how many they were. */
type RemovePortion = (from: number, to: number) => Omit<WriteRequest, 'pages'>;

/** Changes subscriptions, and removes what waits in them. */
export class SubscriptionChanger {
  constructor(private readonly work: QueueWork) {}

  list(): StoredSubscription[] {
    return [...this.work.lanes.all()].filter((lane) => !lane.unrouted && !lane.retired).map(({ stored }) => stored);
  }

  async change(changes: readonly SubscriptionChange[]): Promise<void> {
    const retired = await this.work.gate.exclusive(() => this.write(changes));
    await Promise.all(retired.map((lane) => this.retire(lane)));
  }

  /** Goes on with what an earlier engine began. */
  async resume(): Promise<void> {
    await Promise.all([...this.work.lanes.all()].filter(({ retired }) => retired).map((lane) => this.retire(lane)));
  }

  async purge(key: SubscriptionKey): Promise<number> {
    const lane = this.work.lanes.get(key);
    if (!lane) return 0;
    const { number } = lane;
    return this.removeAll(lane, { wanted: () => true, portion: (from, to) => ({ operation: 'queue.purge', rows: [[number, from, number, to, PORTION]] }) });
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
    if (plan.rows.length === 0) return [];
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
    lane.dead += await this.removeAll(lane, {
      wanted: () => lane.retired,
      portion: (from, to) => ({ operation: 'queue.retire', rows: [[...key, this.work.now(), number, from, number, to, PORTION]] }),
    });
    if (lane.over) await this.drop(lane);
  }

  /** In portions, so that no commit takes long. */
  private async removeAll(lane: Lane, { wanted, portion }: { wanted(): boolean; readonly portion: RemovePortion }): Promise<number> {
    let removed = 0;
    let complete = false;
    try {
      for (const [from, to] of lane.beginRemoval()) {
        for (let found = PORTION; found === PORTION && wanted();) {
          found = Number(await this.work.store.apply({ ...portion(from, to), pages: PAGES_PER_PORTION }));
          lane.kept -= found;
          removed += found;
        }
      }
      complete = wanted();
    } finally {
      lane.endRemoval(complete);
    }
    return removed;
  }
}
