import type { StoredSubscription, SubscriptionChange, SubscriptionKey, DeclaredSubscription } from '@treadle/api';
import type { Row } from '../store/store-area.js';
import type { Lane } from './lane.js';
import { type Lanes, rowOf } from './lanes.js';

/** A lane that gets what lies unrouted for its topic. */
interface Taker {
  readonly lane: Lane;
  readonly stored: StoredSubscription;
  readonly isNew: boolean;
}

/** What a list of changes comes to: rows of `queue.subscriptions`, and what is done to the lanes once they are durable. */
export class SubscriptionPlan {
  readonly rows: Row[] = [];
  /** Are to be emptied; also those whose retirement had begun before. */
  readonly retired: Lane[] = [];
  /** Have something new to claim. */
  readonly touched: Lane[] = [];
  private readonly steps: (() => void)[] = [];
  private readonly takers = new Map<string, Taker[]>();

  constructor(private readonly lanes: Lanes, changes: readonly SubscriptionChange[]) {
    for (const change of changes) if (change.action === 'retire') this.retire(change.key);
    for (const stored of this.becoming(changes).values()) this.put(stored);
    for (const [topic, takers] of this.takers) this.route(topic, takers);
  }

  apply(): void {
    for (const step of this.steps) step();
  }

  /** What each subscription that is put, paused or resumed becomes, by its key. */
  private becoming(changes: readonly SubscriptionChange[]): ReadonlyMap<string, StoredSubscription> {
    const becoming = new Map<string, StoredSubscription>();
    for (const change of changes) if (change.action === 'put') becoming.set(keyOf(change.subscription), this.asked(change.subscription));
    for (const change of changes) {
      if (change.action !== 'pause') continue;
      const is = becoming.get(keyOf(change.key)) ?? this.living(change.key)?.stored;
      if (is) becoming.set(keyOf(change.key), { ...is, paused: change.paused });
    }
    return becoming;
  }

  private asked(wanted: DeclaredSubscription): StoredSubscription {
    return { ...wanted, paused: this.living(wanted)?.stored.paused ?? false };
  }

  private living(key: SubscriptionKey): Lane | undefined {
    const lane = this.lanes.get(key);
    return lane && !lane.unrouted && !lane.retired && !this.retired.includes(lane) ? lane : undefined;
  }

  private retire(key: SubscriptionKey): void {
    const lane = this.lanes.get(key);
    if (!lane || lane.unrouted) return;
    this.retired.push(lane);
    if (lane.retired) return;
    this.rows.push(['put', ...rowOf(lane, { retired: true })]);
    this.steps.push(() => {
      lane.retired = true;
      this.lanes.rerouted(lane);
    });
  }

  private put(stored: StoredSubscription): void {
    const known = this.lanes.get(stored);
    const lane = known ?? this.lanes.make(stored);
    this.touched.push(lane);
    if (known && known === this.living(stored)) this.change(lane, stored);
    else this.takers.set(stored.topic, [...this.takers.get(stored.topic) ?? [], { lane, stored, isNew: !known }]);
  }

  private change(lane: Lane, stored: StoredSubscription): void {
    this.rows.push(['put', ...rowOf(lane, { stored })]);
    if (stored.fifo && !lane.stored.fifo) this.rows.push(['group', lane.number, 0]);
    this.steps.push(() => {
      lane.retired = false;
      lane.change(stored);
      this.lanes.rerouted(lane);
    });
  }

  /** The first new one takes the lane of what lies unrouted over; the others get copies, before it is changed. */
  private route(topic: string, takers: readonly Taker[]): void {
    const unrouted = topic === '' ? undefined : this.lanes.get({ step: '', topic });
    const heir = unrouted && takers.find(({ isNew }) => isNew);
    for (const taker of takers) if (taker !== heir) this.enter(taker, unrouted);
    if (!unrouted) return;
    if (heir) this.inherit(unrouted, heir.stored);
    else {
      this.rows.push(['clear', unrouted.number], ['drop', unrouted.number]);
      this.steps.push(() => void this.lanes.remove(unrouted));
    }
  }

  private enter({ lane, stored, isNew }: Taker, unrouted: Lane | undefined): void {
    const before = lane.lastNumber;
    const ceiling = Math.max(lane.ceiling, before + (unrouted?.lastNumber ?? 0));
    if (isNew) this.rows.push(['put', ...rowOf(lane, { ceiling })]);
    else this.change(lane, stored);
    if (unrouted) this.rows.push(['put', ...rowOf(lane, { stored, ceiling })], ['copy', unrouted.number, lane.number, before], ...arrival(lane.number, before, stored));
    this.steps.push(() => {
      if (isNew) this.lanes.add(lane);
      if (unrouted) lane.adopt(unrouted.kept, ceiling);
    });
  }

  private inherit(unrouted: Lane, stored: StoredSubscription): void {
    this.rows.push(['put', ...rowOf(unrouted, { stored })], ...arrival(unrouted.number, 0, stored));
    this.touched.push(unrouted);
    this.steps.push(() => {
      this.lanes.leave(unrouted);
      unrouted.change(stored);
      this.lanes.add(unrouted);
      unrouted.recount();
    });
  }
}

function keyOf({ step, topic }: SubscriptionKey): string {
  return JSON.stringify([step, topic]);
}

/** What a subscription does to deliveries that it gets all at once. */
function arrival(lane: number, after: number, { fifo, delayMs }: StoredSubscription): Row[] {
  const rows: Row[] = [];
  if (fifo) rows.push(['group', lane, after]);
  if (delayMs > 0) rows.push(['delay', lane, after, delayMs]);
  return rows;
}
