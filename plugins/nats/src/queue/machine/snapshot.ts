import type { StoredSubscription, TransferMark, TransferSide } from '@treadle/api';
import { type Delivery, type Letter, textOf, type Unrouted } from './delivery.js';
import type { Member } from './members.js';
import type { Part } from './parts.js';
import { QueueMachine } from './queue-machine.js';
import { SubscriptionQueue } from './subscription-queue.js';
import type { UsedKey } from './used-keys.js';

/** Bytes of rows after which a line ends; a line has to go into a message. */
const LINE_BYTES = 100_000;

interface Head {
  readonly now: number;
  readonly seq: number;
  readonly lastId: number;
  readonly lastLetter: number;
  readonly copier?: string | undefined;
  readonly marks: readonly (readonly [TransferSide, TransferMark])[];
}

/** What there may be many of: each line has some rows of one kind. Deliveries and votes belong to the subscription of the last line that has one. */
interface Rows {
  readonly members: readonly [string, Member];
  readonly freed: number;
  readonly parts: readonly [string, Part];
  readonly pieces: readonly [part: string, piece: string];
  readonly votes: readonly [string, number];
  readonly deliveries: Delivery;
  readonly letters: Letter;
  readonly unrouted: readonly [topic: string, Unrouted];
  readonly keys: readonly [string, UsedKey];
}

type Kind = keyof Rows;
type Single = { readonly head: Head } | { readonly subscription: StoredSubscription; readonly retired: boolean };
type Many = { readonly [K in Kind]: { readonly kind: K; readonly rows: readonly Rows[K][] } }[Kind];

/** All that a queue is, as lines of text. The queue may go on meanwhile: the lines say what it was when they were asked for. */
export function linesOf(machine: QueueMachine): Iterable<string> {
  const all = [...contentOf(machine)];
  return (function* texts() {
    for (const one of all) {
      if ('kind' in one) yield* linesOfRows(one);
      else yield JSON.stringify(one);
    }
  })();
}

/** Reverses `linesOf`. */
export class SnapshotReader {
  readonly machine = new QueueMachine();
  private queue: SubscriptionQueue | undefined;
  private deliveries: Delivery[] = [];

  read(text: string): void {
    const line = JSON.parse(text) as Single | Many;
    if ('kind' in line) this.readRows(line);
    else if ('head' in line) this.readHead(line.head);
    else this.begin(line);
  }

  finish(): QueueMachine {
    this.endQueue();
    this.machine.subscriptions.changed();
    return this.machine;
  }

  private readHead({ now, seq, lastId, lastLetter, copier, marks }: Head): void {
    const { machine } = this;
    Object.assign(machine, { now, seq, lastId, lastLetter });
    machine.copying.copier = copier;
    for (const [side, mark] of marks) machine.copying.marks.set(side, mark);
  }

  private readRows(line: Many): void {
    const { machine: { members, bodies, parts, subscriptions, letters, keys } } = this;
    switch (line.kind) {
      case 'members': return line.rows.forEach(([name, member]) => members.saw(name, member));
      case 'freed': return line.rows.forEach((seq) => bodies.freed.add(seq));
      case 'votes': return line.rows.forEach(([member, ended]) => this.queue?.votes.set(member, ended));
      case 'keys': return line.rows.forEach(([scope, key]) => keys.all.set(scope, key));
      case 'parts': return line.rows.forEach(([name, part]) => {
        parts.all.set(name, part);
        bodies.holdAll(part.bodies);
      });
      case 'pieces': return line.rows.forEach(([name, piece]) => {
        const part = parts.all.get(name);
        if (part) parts.all.set(name, { ...part, pieces: [...part.pieces, piece] });
      });
      case 'deliveries': return line.rows.forEach((delivery) => {
        this.deliveries.push(delivery);
        bodies.use(delivery);
      });
      case 'letters': return line.rows.forEach((letter) => {
        letters.add(letter);
        bodies.use(letter);
      });
      case 'unrouted': return line.rows.forEach(([topic, message]) => {
        subscriptions.keepUnrouted(topic, message);
        bodies.use(message);
      });
    }
  }

  private begin({ subscription, retired }: Extract<Single, { readonly subscription: unknown }>): void {
    this.endQueue();
    const queue = new SubscriptionQueue(subscription);
    queue.retired = retired;
    this.machine.subscriptions.byKey.set(textOf(subscription), queue);
    this.queue = queue;
  }

  private endQueue(): void {
    this.queue?.load(this.deliveries);
    this.deliveries = [];
  }
}

function* contentOf(machine: QueueMachine): Generator<Single | Many> {
  const { now, seq, lastId, lastLetter, members, bodies, parts, subscriptions, letters, keys, copying: { copier, marks } } = machine;
  yield { head: { now, seq, lastId, lastLetter, copier, marks: [...marks] } };
  yield { kind: 'members', rows: [...members.living] };
  yield { kind: 'freed', rows: [...bodies.freed] };
  yield { kind: 'parts', rows: [...parts.all].map(([name, part]) => [name, { ...part, pieces: [] }] as const) };
  yield { kind: 'pieces', rows: [...parts.all].flatMap(([name, { pieces }]) => pieces.map((piece) => [name, piece] as const)) };
  for (const { stored, retired, votes, deliveries } of subscriptions.byKey.values()) {
    yield { subscription: stored, retired };
    yield { kind: 'votes', rows: [...votes] };
    yield { kind: 'deliveries', rows: [...deliveries.values()] };
  }
  yield { kind: 'letters', rows: [...letters.all.values()] };
  for (const [topic, unrouted] of subscriptions.unrouted) yield { kind: 'unrouted', rows: unrouted.map((message) => [topic, message] as const) };
  yield { kind: 'keys', rows: [...keys.all] };
}

function* linesOfRows({ kind, rows }: Many): Generator<string> {
  let texts: string[] = [];
  let bytes = 0;
  const line = (): string => `{"kind":"${kind}","rows":[${texts.join(',')}]}`;
  for (const row of rows) {
    const text = JSON.stringify(row);
    const own = Buffer.byteLength(text);
    if (bytes > 0 && bytes + own > LINE_BYTES) {
      yield line();
      [texts, bytes] = [[], 0];
    }
    texts.push(text);
    bytes += own;
  }
  if (bytes > 0) yield line();
}
