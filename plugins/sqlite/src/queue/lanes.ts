import { encodeKey, type NewMessage, OperationError, type StoredSubscription, type SubscriptionKey } from '@treadle/api';
import type { SqlValue } from '../driver/driver.js';
import type { Row } from '../store/store-area.js';
import { Lane, type LaneSurroundings } from './lane.js';
import { MOST_SUBSCRIPTIONS } from './queue-schema.js';

/** Numbers of deliveries that are reserved at once; an unclean end wastes at most as many. */
const BLOCK = 65_536;

/** The lanes of a store by who asks for them. */
export class Lanes {
  private readonly byNumber = new Map<number, Lane>();
  private readonly bySubscription = new Map<string, Map<string, Lane>>();
  /** Those that get a message of a topic; one for unrouted messages when nobody else does. */
  private readonly routes = new Map<string, readonly Lane[]>();
  /** That was given last. */
  private lastNumber = 0;
  private floor = 0;

  constructor(private readonly around: LaneSurroundings) {
    this.floor = around.reader.floor();
    for (const row of around.reader.lanes()) {
      this.add(new Lane(row, around));
      this.lastNumber = row.number;
    }
    this.countAll();
  }

  all(): Iterable<Lane> {
    return this.byNumber.values();
  }

  numbered(number: number): Lane | undefined {
    return this.byNumber.get(number);
  }

  get({ step, topic }: SubscriptionKey): Lane | undefined {
    return this.bySubscription.get(topic)?.get(step);
  }

  /** Those that get a message now; for a topic at least one. */
  of({ topic, to }: Pick<NewMessage, 'topic' | 'to'>): readonly Lane[] {
    if (to !== undefined) {
      const lane = this.get({ step: to, topic: '' });
      return lane && !lane.retired ? [lane] : [];
    }
    return this.routes.get(topic) ?? this.route(topic);
  }

  /** Lanes for unrouted messages. */
  unrouted(): Lane[] {
    return [...this.byNumber.values()].filter((lane) => lane.unrouted);
  }

  /** A lane that is not on the disk yet. @throws OperationError when all numbers are in use */
  make(stored: StoredSubscription): Lane {
    this.lastNumber = this.freeNumber();
    return new Lane({ number: this.lastNumber, stored, retired: false, ceiling: this.floor }, this.around, true);
  }

  /** Adds it, or enters it where its changed subscription belongs. */
  add(lane: Lane): void {
    this.byNumber.set(lane.number, lane);
    const { step, topic } = lane.stored;
    if (!lane.unrouted) lane.dead = this.around.reader.dead(lane.stored);
    const steps = this.bySubscription.get(topic) ?? new Map<string, Lane>();
    this.bySubscription.set(topic, steps.set(step, lane));
    this.routes.delete(topic);
  }

  /** Takes it away from where it is found by its subscription. */
  leave(lane: Lane): void {
    const { step, topic } = lane.stored;
    const steps = this.bySubscription.get(topic);
    if (steps?.get(step) === lane) steps.delete(step);
    if (steps?.size === 0) this.bySubscription.delete(topic);
    this.routes.delete(topic);
  }

  remove(lane: Lane): void {
    this.leave(lane);
    this.byNumber.delete(lane.number);
    this.floor = Math.max(this.floor, lane.ceiling, lane.lastNumber);
  }

  /** Its retirement began or ended. */
  rerouted({ stored: { topic } }: Lane): void {
    this.routes.delete(topic);
  }

  /** Counts what is not due after the clock was set back, and looks at everything again. */
  recount(): void {
    this.count(this.byNumber.values());
    for (const lane of this.byNumber.values()) lane.rewind();
  }

  /** Counts what is not due where that is not known. */
  countUncounted(): void {
    const uncounted = [...this.byNumber.values()].filter((lane) => lane.uncounted);
    if (uncounted.length > 0) this.count(uncounted);
  }

  private count(lanes: Iterable<Lane>): void {
    const later = this.around.reader.later(this.around.cursor());
    for (const lane of lanes) lane.counted(later.get(lane.number));
  }

  /** Numbers of subscriptions that are gone come round again: those of their deliveries do not, so that nothing of them is taken for the new one's. */
  private freeNumber(): number {
    const most = MOST_SUBSCRIPTIONS - 1;
    for (let tried = 0, number = this.lastNumber; tried < most && this.byNumber.size < most; tried += 1) {
      number = number % most + 1;
      if (!this.byNumber.has(number) && this.around.reader.oldest({ number }) === undefined) return number;
    }
    throw new OperationError('StorageRefused', `nothing was stored: a store has no room for more than ${most} subscriptions; remove Steps or topics that nobody `
      + 'needs, and purge the topics that nobody consumes');
  }

  private countAll(): void {
    for (const [number, count] of this.around.reader.counts()) {
      const lane = this.byNumber.get(number);
      if (lane) lane.kept = count;
    }
    this.recount();
  }

  private route(topic: string): readonly Lane[] {
    const steps = this.bySubscription.get(topic);
    const subscribed = [...steps?.values() ?? []].filter((lane) => !lane.retired && !lane.unrouted);
    const found = subscribed.length > 0 ? subscribed : [steps?.get('') ?? this.makeUnrouted(topic)];
    this.routes.set(topic, found);
    return found;
  }

  private makeUnrouted(topic: string): Lane {
    const lane = this.make({ step: '', topic, application: '', fifo: false, delayMs: 0, paused: false, settings: '' });
    this.add(lane);
    return lane;
  }
}

/** What is to be different in a row. */
type RowChanges = Partial<Pick<Lane, 'stored' | 'retired' | 'ceiling'>>;

/** Columns of a subscription's row, with the next block of numbers reserved when the last one is used up. */
export function rowOf(lane: Lane, { stored = lane.stored, retired = false, ceiling = lane.ceiling }: RowChanges = {}): Row {
  const { step, topic, application, fifo, delayMs, paused, settings } = stored;
  const flag = (is: boolean): SqlValue => (is ? 1 : 0);
  return [
    lane.number, encodeKey(step), encodeKey(topic), encodeKey(application), flag(fifo), delayMs, flag(paused), settings, flag(retired),
    lane.lastNumber > ceiling ? lane.lastNumber + BLOCK : ceiling,
  ];
}
