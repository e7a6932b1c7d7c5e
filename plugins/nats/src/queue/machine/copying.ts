import type { TransferMark, TransferSide } from '@treadle/api';
import type { BodyUses } from './body-uses.js';
import type { ImportCommand, ImportedRow } from './commands.js';
import { type BodyRef, type Letter, type Refs, refsOf, textOf } from './delivery.js';
import type { Letters } from './letters.js';
import type { Members } from './members.js';
import { SubscriptionQueue } from './subscription-queue.js';
import type { Subscriptions } from './subscriptions.js';
import type { UsedKeys } from './used-keys.js';

/** How long a member may be silent before a copy takes it for gone, and a copy before an engine does; milliseconds. */
const SILENT_MS = 4_000;
const COPY_MS = 15_000;

/** Why a member is not let in: it is used, it is copied, or it is half of a copy. */
export type Refusal = 'used' | 'copying' | 'half';

/** What rows are put into. */
interface Target {
  readonly now: number;
  lastId: number;
  lastLetter: number;
  readonly members: Members;
  readonly subscriptions: Subscriptions;
  readonly letters: Letters;
  readonly keys: UsedKeys;
  readonly bodies: BodyUses;
  endMember(member: string): boolean;
}

type Row = Exclude<ImportedRow, { readonly body: number }> | (Extract<ImportedRow, { readonly body: number }> & { readonly refs: Refs });

/** Copies of the queue from and to other stores: who may have it, how far they are, and what they bring. */
export class Copying {
  readonly marks = new Map<TransferSide, TransferMark>();
  copier: string | undefined;
  private rows: Row[] = [];

  constructor(private readonly queue: Target) {}

  /** Lets a new member in, or says why not. */
  enter(member: string, copies: boolean): Refusal | undefined {
    const others = [...this.queue.members.living.keys()].filter((other) => other !== member);
    if (copies) {
      this.endSilent(SILENT_MS, others);
      if (others.some((other) => this.queue.members.has(other))) return 'used';
      this.copier = member;
      return undefined;
    }
    this.endSilent(COPY_MS, others.filter((other) => other === this.copier));
    if (this.copier !== undefined && this.queue.members.has(this.copier)) return 'copying';
    if (this.marks.get('to')?.complete === false) return 'half';
    this.marks.delete('from');
    return undefined;
  }

  import({ isFirst, rows, mark }: ImportCommand, bodies: readonly BodyRef[]): void {
    if (isFirst) this.drop();
    for (const row of rows) {
      const kept: Row = 'body' in row ? { ...row, refs: refsOf(row, bodies) } : row;
      if ('refs' in kept) this.queue.bodies.use(kept.refs);
      this.rows.push(kept);
    }
    if (!mark) return;
    for (const row of this.rows) this.add(row);
    this.drop();
    this.marks.set('to', mark);
  }

  /** Rows whose last ones have not come. */
  private drop(): void {
    for (const row of this.rows) if ('refs' in row) this.queue.bodies.release(row.refs);
    this.rows = [];
  }

  private endSilent(silentMs: number, members: readonly string[]): void {
    const { living } = this.queue.members;
    for (const member of members) if ((living.get(member)?.at ?? 0) < this.queue.now - silentMs) this.queue.endMember(member);
  }

  private add(row: Row): void {
    if (row.kind === 'subscription') this.addSubscription(row);
    else if (row.kind === 'key') this.queue.keys.all.set(row.scope, { id: row.id, until: row.until });
    else if (row.kind === 'letter') this.addLetter(row);
    else this.addDelivery(row);
  }

  private addSubscription({ stored, retired }: Extract<Row, { readonly kind: 'subscription' }>): void {
    const { subscriptions } = this.queue;
    if (stored.step === '') {
      if (!subscriptions.unrouted.has(stored.topic)) subscriptions.unrouted.set(stored.topic, []);
      return;
    }
    const queue = new SubscriptionQueue(stored);
    queue.retired = retired;
    subscriptions.byKey.set(textOf(stored), queue);
    subscriptions.changed();
  }

  private addDelivery({ step, topic, refs, enqueuedAt, dueAt, groupId, progress }: Extract<Row, { readonly kind: 'delivery' }>): void {
    const { subscriptions, bodies, now } = this.queue;
    const message = { id: this.queue.lastId += 1, ...refs, enqueuedAt, groupId, dueAt };
    const target = subscriptions.get({ step, topic });
    bodies.use(message);
    if (target) target.load([{ ...message, later: dueAt > now, progress }]);
    else if (step === '') subscriptions.keepUnrouted(topic, message);
    else bodies.release(message);
  }

  private addLetter({ step, topic, refs, enqueuedAt, groupId, progress, reason, deadAt }: Extract<Row, { readonly kind: 'letter' }>): void {
    const letter: Letter = { id: this.queue.lastLetter += 1, step, topic, ...refs, enqueuedAt, groupId, progress, reason, deadAt };
    this.queue.bodies.use(letter);
    this.queue.letters.add(letter);
  }
}
