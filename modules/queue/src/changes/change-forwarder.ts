import type { ChangeFeed, ChangeSource, ChangeSubject, Logger, OperationError, StepId, StoredChange, Timer } from '@treadle/api';
import { ChangeLead } from './change-lead.js';
import { ChangeDelivery, type Delivered, type DeliveryParts, type Share } from './change-delivery.js';

/** Most changes of one round. */
const ROUND = 500;
/** After a failed round, or while a Step takes no more, it is tried again; milliseconds. */
const RETRY_MS = 500;
/** Most changes that may be left for Steps that take no more before the others wait as well: their ids are kept in memory. */
const MOST_LEFT = 100_000;

/** What forwarders work with. */
export interface ForwarderParts extends DeliveryParts {
  readonly log: Logger;
  /** A change of the kind was stored after its forwarder was closed. */
  readonly recordedLate: (kind: ChangeSource['kind']) => void;
}

/**
 * Takes one module's stored changes to the subscriptions of the Steps that listen, oldest first. A Step whose subscription is full
 * gets its changes later, in their order; the others' go on. Of several engines on the module's store one forwards at a time; what another
 * one repeats when it takes over is recognised by the queue.
 */
export class ChangeForwarder implements ChangeFeed {
  private readonly delivery: ChangeDelivery;
  private readonly lead: ChangeLead;
  /** Steps that take no more, and the first change that each of them did not take. */
  private blocked: ReadonlyMap<StepId, string> = new Map();
  /** Changes that only blocked Steps have not got. */
  private readonly left = new Set<string>();
  /** Changes up to this one are left or done. */
  private behind: string | undefined;
  private round: Promise<void> | undefined;
  private again = false;
  private asking = false;
  private closed = false;
  private retry: Timer | undefined;

  constructor(private readonly source: ChangeSource, private readonly parts: ForwarderParts) {
    this.delivery = new ChangeDelivery(parts);
    this.lead = new ChangeLead(source.shared, parts.clock, { wake: () => this.recorded(), lost: () => this.forget() });
  }

  wants(subject: ChangeSubject): boolean {
    return this.parts.listeners.wants(subject);
  }

  get kind(): ChangeSource['kind'] {
    return this.source.kind;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  recorded(): void {
    if (this.closed) this.parts.recordedLate(this.kind);
    if (this.closed || this.lead.standsAside) return;
    this.again = true;
    this.round ??= this.run();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.retry?.cancel();
    this.lead.close();
    await this.round;
  }

  private async run(): Promise<void> {
    try {
      // One that ended before it was kept would never be forgotten.
      await Promise.resolve();
      while (this.again && !this.closed) {
        this.again = false;
        if (this.asking) await this.askBlocked();
        if (this.left.size < MOST_LEFT) await this.forward();
      }
      if (this.blocked.size > 0) this.tryLater();
    } catch (error) {
      this.failed(error);
    } finally {
      this.round = undefined;
    }
  }

  /** What is new. Its end is read again: keys that are written side by side need not show their changes in the order of the ids. */
  private async forward(): Promise<void> {
    const most = this.left.size > 0 ? ROUND * 2 : ROUND;
    const changes = await this.read(most, this.behind);
    if (!changes) return;
    const fresh = changes.filter(({ id }) => !this.left.has(id));
    this.again ||= fresh.length > 0 || changes.length === most;
    if (fresh.length > 0) this.block(await this.deliver(fresh, (step) => (this.blocked.has(step) ? 'later' : 'now')));
    this.behind = lastOf(changes.slice(0, -ROUND), (id) => this.left.has(id)) ?? this.behind;
  }

  /** Offers Steps that took no more what was left for them, until each of them is full again or has everything. */
  private async askBlocked(): Promise<void> {
    this.asking = false;
    // Its first change may be done without it: a reload has changed what the Step listens to.
    const reached = new Set([...this.blocked].flatMap(([step, id]) => (this.left.has(id) ? [] : [step])));
    const full = new Map<StepId, string>();
    for (let after: string | undefined; !this.closed && [...this.blocked.keys()].some((step) => !full.has(step));) {
      const changes = await this.read(ROUND, after);
      if (!changes) return;
      if (changes.length === 0) break;
      const old = changes.filter(({ id }) => this.left.has(id));
      const places = new Map(old.map(({ id }, at) => [id, at]));
      const from = (step: StepId): number => (reached.has(step) ? 0 : places.get(this.blocked.get(step) ?? '') ?? Infinity);
      const delivered = await this.deliver(old, (step, { id }) => {
        if ((places.get(id) ?? 0) < from(step)) return 'has';
        return full.has(step) ? 'later' : 'now';
      });
      for (const step of this.blocked.keys()) if (from(step) < Infinity) reached.add(step);
      for (const [step, id] of delivered.full) full.set(step, id);
      // What was done is not there any more, so that nothing can be read after it; new changes are there.
      const done = new Set(delivered.done);
      after = lastOf(changes, (id) => !done.has(id)) ?? after;
      if (changes.length < ROUND) break;
    }
    if (!this.closed) this.blocked = full;
  }

  /** Undefined when another engine may have taken some of them meanwhile. */
  private async read(limit: number, after: string | undefined): Promise<readonly StoredChange[] | undefined> {
    if (!await this.lead.take()) return undefined;
    const changes = await this.source.pending(limit, after);
    if (this.lead.holds) return changes;
    this.again = true;
    return undefined;
  }

  /** Begins with what is pending, as after a start. */
  private forget(): void {
    this.blocked = new Map();
    this.left.clear();
    this.behind = undefined;
    this.asking = false;
  }

  private async deliver(changes: readonly StoredChange[], share: (step: StepId, change: StoredChange) => Share): Promise<Delivered> {
    const delivered = await this.delivery.deliver(changes, share);
    for (const id of delivered.left) this.left.add(id);
    if (delivered.done.length > 0) await this.source.settle(delivered.done);
    for (const id of delivered.done) {
      this.left.delete(id);
      if (this.behind === id) this.behind = undefined;
    }
    if (delivered.fault !== undefined) {
      this.block(delivered);
      throw delivered.fault instanceof Error ? delivered.fault : new Error(String(delivered.fault));
    }
    return delivered;
  }

  private block({ full }: Delivered): void {
    if (full.size === 0) return;
    for (const step of full.keys()) {
      this.parts.log.warn('changes wait for a Step: its subscription or the storage is full; it is tried again', { kind: this.source.kind, stepName: step });
    }
    this.blocked = new Map([...full, ...this.blocked]);
  }

  private tryLater(): void {
    this.retry?.cancel();
    this.retry = this.parts.clock.after(RETRY_MS, () => {
      this.asking = this.blocked.size > 0;
      this.recorded();
    });
  }

  /** Nothing is lost: the changes stay with their module, and none overtakes another. */
  private failed(error: unknown): void {
    if (this.closed) return;
    const { code } = error as Partial<OperationError>;
    this.parts.log.warn('changes could not be delivered to their triggers; it is tried again', { kind: this.source.kind, code, error: String(error) });
    this.tryLater();
  }
}

function lastOf(changes: readonly StoredChange[], test: (id: string) => boolean): string | undefined {
  return [...changes].reverse().find(({ id }) => test(id))?.id;
}
