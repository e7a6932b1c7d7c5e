import type { StoredSubscription, TransferMark, TransferSide } from '@treadle/api';
import type { BodyRef, Delivery, Letter, Unrouted } from './delivery.js';
import type { Member } from './members.js';
import { QueueMachine } from './queue-machine.js';
import { SubscriptionQueue } from './subscription-queue.js';
import type { UsedKey } from './used-keys.js';
import { textOf } from './delivery.js';

/** Rows of one line; a line has to go into a message. */
const PORTION = 20;

interface Head {
  readonly now: number;
  readonly seq: number;
  readonly lastId: number;
  readonly lastLetter: number;
  readonly members: readonly (readonly [string, Member])[];
  readonly freed: readonly number[];
  readonly copier?: string | undefined;
  readonly marks: readonly (readonly [TransferSide, TransferMark])[];
  readonly parts: readonly (readonly [string, { readonly at: number; readonly bodies: readonly BodyRef[] }])[];
}

/** A line of a snapshot. Deliveries belong to the subscription of the last line that has one. */
type Line =
  | { readonly head: Head }
  | { readonly subscription: StoredSubscription; readonly retired: boolean; readonly votes: readonly (readonly [string, number])[] }
  | { readonly deliveries: readonly Delivery[] }
  | { readonly letters: readonly Letter[] }
  | { readonly topic: string; readonly unrouted: readonly Unrouted[] }
  | { readonly keys: readonly (readonly [string, UsedKey])[] };

/** All that a queue is, as lines of text. The queue may go on meanwhile: the lines say what it was when they were asked for. */
export function linesOf(machine: QueueMachine): Iterable<string> {
  const lines = [...partsOf(machine)];
  return (function* texts() {
    for (const line of lines) yield JSON.stringify(line);
  })();
}

/** Reverses `linesOf`. */
export class SnapshotReader {
  readonly machine = new QueueMachine();
  private queue: SubscriptionQueue | undefined;
  private deliveries: Delivery[] = [];

  read(text: string): void {
    const line = JSON.parse(text) as Line;
    const { machine } = this;
    if ('head' in line) this.readHead(line.head);
    else if ('subscription' in line) this.begin(line);
    else if ('deliveries' in line) this.deliveries.push(...line.deliveries);
    else if ('letters' in line) for (const letter of line.letters) machine.letters.add(letter);
    else if ('unrouted' in line) for (const message of line.unrouted) machine.subscriptions.keepUnrouted(line.topic, message);
    else for (const [scope, key] of line.keys) machine.keys.all.set(scope, key);
    for (const message of 'letters' in line ? line.letters : 'unrouted' in line ? line.unrouted : 'deliveries' in line ? line.deliveries : []) machine.bodies.use(message);
  }

  finish(): QueueMachine {
    this.endQueue();
    this.machine.subscriptions.changed();
    return this.machine;
  }

  private readHead({ now, seq, lastId, lastLetter, members, freed, copier, marks, parts }: Head): void {
    const { machine } = this;
    Object.assign(machine, { now, seq, lastId, lastLetter });
    for (const [name, member] of members) machine.members.saw(name, member);
    for (const each of freed) machine.bodies.freed.add(each);
    machine.copying.copier = copier;
    for (const [side, mark] of marks) machine.copying.marks.set(side, mark);
    for (const [name, part] of parts) {
      machine.parts.set(name, part);
      machine.bodies.holdAll(part.bodies);
    }
  }

  private begin({ subscription, retired, votes }: Extract<Line, { readonly subscription: unknown }>): void {
    this.endQueue();
    const queue = new SubscriptionQueue(subscription);
    queue.retired = retired;
    for (const [member, ended] of votes) queue.votes.set(member, ended);
    this.machine.subscriptions.byKey.set(textOf(subscription), queue);
    this.queue = queue;
  }

  private endQueue(): void {
    this.queue?.load(this.deliveries);
    this.deliveries = [];
  }
}

function* partsOf(machine: QueueMachine): Generator<Line> {
  const { now, seq, lastId, lastLetter, members, bodies, parts, subscriptions, letters, keys, copying: { copier, marks } } = machine;
  yield { head: { now, seq, lastId, lastLetter, members: [...members.living], freed: [...bodies.freed], copier, marks: [...marks], parts: [...parts] } };
  for (const { stored, retired, votes, deliveries } of subscriptions.byKey.values()) {
    yield { subscription: stored, retired, votes: [...votes] };
    for (const portion of portionsOf([...deliveries.values()])) yield { deliveries: portion };
  }
  for (const portion of portionsOf([...letters.all.values()])) yield { letters: portion };
  for (const [topic, unrouted] of subscriptions.unrouted) for (const portion of portionsOf(unrouted)) yield { topic, unrouted: portion };
  for (const portion of portionsOf([...keys.all])) yield { keys: portion };
}

function* portionsOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += PORTION) yield items.slice(at, at + PORTION);
}
