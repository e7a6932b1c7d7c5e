import type { CommitOutcome, QueueExpired, SubscriptionChange, SubscriptionKey } from '@treadle/api';
import { BodyUses } from './body-uses.js';
import type { ClaimCommand, Command, CommitCommand, LogEntry, RedriveCommand, WireClaim, WireSettlement } from './commands.js';
import { type BodyRef, type Delivery, epochHead, type Hold, type KeptMessage, type Letter, messageOf } from './delivery.js';
import { Copying, type Refusal } from './copying.js';
import { Intake } from './intake.js';
import { counted, Letters } from './letters.js';
import { Members } from './members.js';
import { Parts } from './parts.js';
import type { SubscriptionQueue } from './subscription-queue.js';
import { Subscriptions } from './subscriptions.js';
import { UsedKeys } from './used-keys.js';

/** The time stands still rather than goes back by less; milliseconds. */
const HOLD_MS = 5_000;
/** The vote of a member that has ended is forgotten after this; milliseconds. */
const VOTE_MS = 7 * 24 * 60 * 60 * 1_000;

/** What a request has got: deliveries, and whether another call could get more. */
export interface Claimed extends SubscriptionKey {
  readonly taken: readonly Delivery[];
  readonly more: boolean;
}

/** What became of an entry: of each command, or why none was carried out. `lost`: some of its parts have not come. */
export type Outcome = { readonly results: readonly unknown[] } | { readonly refused: 'gone' | 'lost' | Refusal };

/** Where an entry is carried out. */
interface Setting {
  readonly member: string;
  readonly number: number;
  readonly bodies: readonly BodyRef[];
}

/**
 * The queue, as the entries of the log make it: engines that apply the same entries in their order have the same queue. So nothing here may go by
 * anything but entries, and the time is that at which the server stored the last one.
 */
export class QueueMachine {
  now = 0;
  /** The last entry. */
  seq = 0;
  lastId = 0;
  lastLetter = 0;
  readonly members = new Members();
  readonly subscriptions = new Subscriptions();
  readonly letters = new Letters();
  readonly keys = new UsedKeys();
  readonly bodies = new BodyUses();
  readonly parts = new Parts();
  readonly copying = new Copying(this);
  private readonly intake = new Intake(this);
  private claims = 0;

  apply(entry: LogEntry): Outcome {
    this.seq = entry.seq;
    this.tellTime(entry.at);
    this.bodies.holdAll(entry.bodies);
    if (entry.part) {
      this.parts.add(entry, this.now);
      return { results: [] };
    }
    const { bodies, commands } = this.parts.take(entry);
    const outcome = commands ? this.carryOut({ ...entry, commands, bodies }) : { refused: 'lost' } as const;
    this.bodies.dropAll(bodies);
    return outcome;
  }

  private tellTime(at: number): void {
    const isBack = this.now - at > HOLD_MS;
    if (at > this.now || isBack) this.now = at;
    if (isBack) this.members.turnBack(at);
  }

  /** Subscriptions of which something can be claimed that could not be before. */
  takeNews(): readonly SubscriptionQueue[] {
    const news: SubscriptionQueue[] = [];
    for (const queue of this.subscriptions.byKey.values()) {
      if (queue.news && !queue.retired && !queue.stored.paused) news.push(queue);
      queue.news = false;
    }
    return news;
  }

  private carryOut({ member, number, seq, joins, copies, commands, bodies }: LogEntry): Outcome {
    if (!joins && !this.members.has(member)) return { refused: 'gone' };
    const refused = joins && this.copying.enter(member, copies === true);
    if (refused) return { refused };
    this.members.saw(member, { seq, number, at: this.now });
    for (const key of joins ?? []) this.subscriptions.living(key)?.votes.set(member, 0);
    this.claims = 0;
    return { results: commands.map((command) => this.run(command, { member, number, bodies })) };
  }

  private run(command: Command, setting: Setting): unknown {
    switch (command.op) {
      case 'look': return this.look();
      case 'enqueue': return this.intake.enqueue(command.messages, command.max, setting.bodies);
      case 'claim': return this.claim(command, setting);
      case 'settle': return command.settlements.map((settlement) => this.settle(settlement));
      case 'commit': return this.commit(command, setting.bodies);
      case 'renew': return command.claims.map((claim) => this.renew(claim, this.now + command.leaseMs));
      case 'release': return command.claims.map((claim) => this.release(claim));
      case 'subscriptions': return this.changeSubscriptions(command.changes, setting.member);
      case 'purge': return this.purge(command.key);
      case 'redrive': return this.redrive(command, setting.bodies);
      case 'discard': return this.removeLetters(this.letters.select(command.selection).slice(0, command.limit)).length;
      case 'expire': return this.expire(command.expiry);
      case 'bury': return this.members.isSilentSince(command.member, command.seen) && this.endMember(command.member);
      case 'leave': return this.endMember(setting.member);
      case 'import': return this.copying.import(command, setting.bodies);
      case 'mark': return void this.copying.marks.set(command.side, command.mark);
      case 'removed': return command.seqs.map((seq) => this.bodies.freed.delete(seq));
    }
  }

  private look(): void {
    for (const queue of this.subscriptions.byKey.values()) {
      this.advance(queue);
      for (const [member, ended] of queue.votes) if (ended !== 0 && ended < this.now - VOTE_MS) queue.votes.delete(member);
    }
    this.keys.forget(this.now);
    this.bodies.dropAll(this.parts.forget(this.now));
  }

  /** Brings a subscription up to the time. What came back to one that is retired is dead. */
  private advance(queue: SubscriptionQueue | undefined): SubscriptionQueue | undefined {
    queue?.advance(this.now);
    if (queue?.retired) this.bury(queue);
    return queue;
  }

  private claim({ requests, leaseMs }: ClaimCommand, { member, number }: Setting): readonly Claimed[] {
    return requests.flatMap(({ step, topic, max, total }): Claimed[] => {
      const queue = this.advance(this.subscriptions.living({ step, topic }));
      if (!queue || queue.stored.paused) return [];
      const hold = (): Hold => ({ epoch: `${epochHead(member, number)}${this.claims += 1}`, member, until: this.now + leaseMs });
      return [{ step, topic, ...queue.claim({ max, total, hold }) }];
    });
  }

  /** The claim's delivery and its subscription, when the claim holds. */
  private held(claim: WireClaim): { readonly queue: SubscriptionQueue; readonly delivery: Delivery & Required<Pick<Delivery, 'held'>> } | undefined {
    const queue = this.advance(this.subscriptions.get(claim));
    const delivery = queue?.deliveries.get(claim.id);
    return queue && delivery?.held?.epoch === claim.epoch ? { queue, delivery: { ...delivery, held: delivery.held } } : undefined;
  }

  private settle(settlement: WireSettlement): boolean {
    const found = this.held(settlement.claim);
    if (!found) return false;
    const { queue, delivery } = found;
    if (settlement.action === 'done') this.remove(queue, delivery);
    else if (settlement.action === 'dead') this.kill(queue, { ...delivery, progress: settlement.progress }, settlement);
    else {
      const { progress, dueAt = 0 } = settlement;
      queue.change(delivery, { progress, dueAt, later: dueAt > this.now, held: undefined });
      if (queue.retired) this.bury(queue);
    }
    this.subscriptions.forget(queue);
    return true;
  }

  private commit({ settle, enqueue, max }: CommitCommand, bodies: readonly BodyRef[]): CommitOutcome {
    if (!this.held(settle.claim)) return { ok: false, why: 'void' };
    const planned = this.intake.plan(enqueue, max);
    if (!planned.ok) return { ok: false, why: 'full', full: planned.full };
    this.settle(settle);
    this.intake.store(enqueue, planned.ids, bodies);
    return planned;
  }

  private renew(claim: WireClaim, until: number): boolean {
    const found = this.held(claim);
    found?.queue.renew(found.delivery, { ...found.delivery.held as NonNullable<Delivery['held']>, until });
    return found !== undefined;
  }

  private release(claim: WireClaim): void {
    const found = this.held(claim);
    found?.queue.free(found.delivery);
    if (found?.queue.retired) this.bury(found.queue);
  }

  private changeSubscriptions(changes: readonly SubscriptionChange[], member: string): void {
    for (const change of changes) if (change.action === 'retire') this.retire(change.key, change.afterMs, member);
    const put = changes.flatMap((change) => (change.action === 'put' ? [change.subscription] : []));
    for (const { message, times } of put.length > 0 ? this.subscriptions.put(put, member, this.now) : []) {
      for (let time = 0; time < times; time += 1) this.bodies.use(message);
      this.bodies.release(message);
    }
    for (const change of changes) {
      if (change.action === 'pause') this.pause(change.key, change.paused);
      const queue = change.action === 'retire' ? undefined : this.subscriptions.get(change.action === 'put' ? change.subscription : change.key);
      if (queue && queue.claimable > 0) queue.news = true;
    }
  }

  private pause(key: SubscriptionKey, paused: boolean): void {
    const queue = this.subscriptions.living(key);
    if (!queue || queue.stored.paused === paused) return;
    queue.stored = { ...queue.stored, paused };
    this.subscriptions.changed();
  }

  private retire(key: SubscriptionKey, afterMs: number, member: string): void {
    const queue = this.advance(this.subscriptions.living(key));
    if (!queue) return;
    queue.votes.delete(member);
    for (const ended of queue.votes.values()) if (ended === 0 || ended + afterMs > this.now) return;
    queue.retired = true;
    this.subscriptions.changed();
    this.bury(queue);
  }

  /** Makes dead letters of what waits of a subscription that is retired. */
  private bury(queue: SubscriptionQueue): void {
    const waiting = [...queue.deliveries.values()].filter(({ held }) => !held);
    for (const delivery of waiting) this.kill(queue, delivery, { reason: 'subscription_retired', at: this.now });
    this.subscriptions.forget(queue);
  }

  private kill(queue: SubscriptionQueue, delivery: Delivery, { reason, at }: Pick<Letter, 'reason'> & { readonly at: number }): void {
    const { step, topic } = queue.stored;
    const letter: Letter = { ...messageOf(delivery), step, topic, id: this.lastLetter += 1, reason, deadAt: at, progress: delivery.progress };
    this.bodies.use(letter);
    this.letters.add(letter);
    this.remove(queue, delivery);
  }

  private remove(queue: SubscriptionQueue, delivery: Delivery): void {
    queue.remove(delivery);
    this.bodies.release(delivery);
  }

  private purge({ step, topic }: SubscriptionKey): number {
    if (step === '') return this.releaseAll(this.subscriptions.takeUnrouted(topic)).length;
    const queue = this.advance(this.subscriptions.living({ step, topic }));
    const waiting = [...queue?.deliveries.values() ?? []].filter(({ held }) => !held);
    for (const delivery of waiting) this.remove(queue as SubscriptionQueue, delivery);
    return waiting.length;
  }

  private redrive({ selection, step, data, limit, now }: RedriveCommand, bodies: readonly BodyRef[]): number {
    const targetOf = (letter: SubscriptionKey): SubscriptionQueue | undefined => this.subscriptions.living({ step: step ?? letter.step, topic: letter.topic });
    const letters = this.letters.select(selection).filter((letter) => letter.deadAt <= now && targetOf(letter)).slice(0, limit);
    for (const letter of letters) {
      const changed = data === undefined ? letter.data : bodies[data];
      const message = { ...messageOf(letter), data: changed, redriven: true, id: this.lastId += 1, dueAt: 0 } as const;
      this.bodies.use(message);
      targetOf(letter)?.add(message, this.now);
    }
    return this.removeLetters(letters).length;
  }

  private expire({ deadBefore, maxDead, unroutedBefore }: { readonly deadBefore: number; readonly maxDead: number; readonly unroutedBefore: number }): QueueExpired {
    const dead = counted(this.removeLetters(this.letters.expired({ deadBefore, maxDead })));
    const { gone, counts } = this.subscriptions.expireUnrouted(unroutedBefore);
    this.releaseAll(gone);
    return { dead, unrouted: counts };
  }

  private removeLetters(letters: readonly Letter[]): readonly Letter[] {
    for (const letter of letters) this.letters.remove(letter);
    return this.releaseAll(letters);
  }

  private releaseAll<T extends KeptMessage>(messages: readonly T[]): readonly T[] {
    for (const message of messages) this.bodies.release(message);
    return messages;
  }

  /** Its claims are void, and its votes count for a while. */
  endMember(member: string): boolean {
    if (!this.members.end(member)) return false;
    for (const queue of this.subscriptions.byKey.values()) {
      queue.endVote(member, this.now);
      if (queue.counts.active === 0) continue;
      for (const delivery of [...queue.deliveries.values()]) if (delivery.held?.member === member) queue.free(delivery);
      if (queue.retired) this.bury(queue);
    }
    return true;
  }
}
