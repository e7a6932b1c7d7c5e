import { type Clock, DueClock, type Logger, OperationError, type StoreClock, type SubscriptionKey, TaskLane } from '@treadle/api';
import type { Queries } from '../store/connections.js';
import type { PgStore } from '../store/pg-store.js';
import { SubscriptionList } from './subscription-list.js';
import { WaitingCounts } from './waiting-counts.js';

/** How soon a claim that was limited for the sake of other engines is tried again; milliseconds. */
const AGAIN_MS = 10;
/** Lists in a row that were old when they were used. */
const TRIES = 100;

/** Of leases only those that are over are looked for: the others have left an entry in the index for each message that was settled since the last clearing. */
const LOOK = `SELECT s.number AS sub, EXISTS (SELECT 1 FROM queue_deliveries d WHERE d.sub = s.number AND d.state = 0)
      OR EXISTS (SELECT 1 FROM queue_deliveries d WHERE d.sub = s.number AND d.state = 3 AND d.lease_until <= $1) AS ready,
    (SELECT min(d.due_at) FROM queue_deliveries d WHERE d.sub = s.number AND d.state = 1) AS next
  FROM queue_subscriptions s WHERE NOT s.retired AND NOT s.paused AND s.step <> ''`;

/** What the parts of the queue have in common. */
export class QueueWork {
  /** Writes of messages go one after the other, so that their order is that of the calls. */
  readonly enqueueing = new TaskLane();
  readonly settling = new TaskLane();
  readonly claiming = new TaskLane();
  readonly due: DueClock;
  readonly counts: WaitingCounts;
  list = new SubscriptionList(0, []);
  /** Version of the subscriptions that listeners were last told of, and changes of this engine since: what others have changed makes it differ from that of the list. */
  told = -1;
  private readonly listeners = new Set<(key: SubscriptionKey) => void>();
  private readonly again = new Set<number>();
  private readonly reloading = new TaskLane();

  constructor(readonly store: PgStore, readonly clock: Clock, readonly log: Logger) {
    this.due = new DueClock(clock, store.time, (subs) => this.fallenDue(subs));
    this.counts = new WaitingCounts(store.connections, clock, () => store.members.others === 0);
  }

  get time(): StoreClock {
    return this.store.time;
  }

  get queries(): Queries {
    return this.store.connections;
  }

  get member(): number {
    return this.store.members.member;
  }

  /** Reads the subscriptions again. What is read last is the newest, whatever its version: a replica that takes over without the last writes has a lower one. */
  reload(): Promise<void> {
    return this.reloading.run(async () => {
      this.list = await SubscriptionList.read(this.queries);
    });
  }

  onDue(listener: (key: SubscriptionKey) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Something can be claimed: says so here, and to other engines when it is news of this one. */
  wake(subs: Iterable<number>, toOthers: boolean): void {
    const all = new Set(subs);
    if (all.size === 0) return;
    if (toOthers) this.store.notifier.tell('q', [...all].map(String));
    for (const sub of all) this.tell(sub);
  }

  /** Something can be claimed that this engine was not to take yet. */
  wakeLater(sub: number): void {
    if (this.again.size === 0) {
      this.clock.after(AGAIN_MS, () => {
        const subs = [...this.again];
        this.again.clear();
        this.wake(subs, false);
      });
    }
    this.again.add(sub);
  }

  /** Looks what can be claimed, and when more is due; whatever others have done is seen here at the latest. */
  async look(): Promise<void> {
    const now = this.time.now();
    const rows = await this.queries.rows<{ sub: number; ready: boolean; next: number | null }>(LOOK, [now], 'queue.look');
    this.wake(rows.filter(({ ready, next }) => ready || (next !== null && next <= now)).map(({ sub }) => sub), false);
    for (const { sub, next } of rows) if (next !== null && next > now) this.due.note(sub, next);
  }

  /** Runs a task that no enqueueing or settling of this engine runs beside, in the order of the calls. */
  exclusively<T>(task: () => Promise<T>): Promise<T> {
    return this.enqueueing.run(() => this.settling.run(task));
  }

  /** Repeats what says by undefined that it went by an old list of subscriptions. @throws an `OperationError` when each list was old again */
  async current<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const result = await attempt();
      if (result !== undefined) return result;
      await this.reload();
    }
    throw new OperationError('StorageFailed', `${this.store.connections.database}: the subscriptions change faster than they can be read (${TRIES} tries)`);
  }

  close(): void {
    this.due.close();
    this.listeners.clear();
  }

  private tell(sub: number): void {
    const found = this.list.numbered(sub);
    if (!found || found.retired || found.stored.step === '') return;
    const { step, topic } = found.stored;
    for (const listener of this.listeners) listener({ step, topic });
  }

  private fallenDue(subs: readonly number[]): void {
    this.wake(subs, false);
    void this.look().catch(() => undefined);
  }

}
