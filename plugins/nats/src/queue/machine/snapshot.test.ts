import { seededRandom } from '@treadle/testing';
import { expect } from 'chai';
import type { Command, LogEntry, WireClaim, WireMessage } from './commands.js';
import type { Claimed, Outcome } from './queue-machine.js';
import { QueueMachine } from './queue-machine.js';
import { linesOf, SnapshotReader } from './snapshot.js';

const RUNS = 40;
const ENTRIES = 120;
const MEMBERS = ['e1', 'e2', 'e3'];
const KEYS = [{ step: 'a', topic: 't' }, { step: 'b', topic: 't' }, { step: 'c', topic: '' }];

function restored(machine: QueueMachine): QueueMachine {
  const reader = new SnapshotReader();
  for (const line of linesOf(machine)) reader.read(line);
  return reader.finish();
}

/** Entries of several engines, as one seed has them. */
class Entries {
  private readonly random: () => number;
  private readonly claims: WireClaim[] = [];
  private readonly joined = new Set<string>();
  private seq = 0;
  private at = 1_000_000;
  private messages = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  next(): LogEntry {
    this.seq += 1 + this.below(3);
    this.at += this.below(5) === 0 ? this.below(3_000) : this.below(20);
    const member = this.one(MEMBERS);
    const joins = this.joined.has(member) ? undefined : [this.one(KEYS)];
    const commands = Array.from({ length: 1 + this.below(3) }, () => this.command());
    if (commands.some(({ op }) => op === 'leave')) this.joined.delete(member);
    else this.joined.add(member);
    const bodies = Array.from({ length: 4 }, (_, index) => [this.seq, index * 10, index * 10 + 10] as const);
    return { seq: this.seq, at: this.at, member, number: this.seq, seen: this.seq - 1, joins, commands, bodies };
  }

  /** Claims that later entries end. */
  note(outcome: Outcome): void {
    if (!('results' in outcome)) return;
    for (const result of outcome.results) {
      if (!Array.isArray(result)) continue;
      for (const one of result as readonly (Partial<Claimed> | undefined)[]) {
        const { step, topic, taken = [] } = one ?? {};
        for (const { id, held } of taken) this.claims.push({ step: step ?? '', topic: topic ?? '', id, epoch: held?.epoch ?? '' });
      }
    }
  }

  private command(): Command {
    const key = this.one(KEYS);
    const subscription = { ...key, application: 'x', fifo: this.below(2) === 0, delayMs: this.below(3) * 100, settings: '' };
    const kinds: readonly (() => Command)[] = [
      () => ({ op: 'look' }),
      () => ({ op: 'enqueue', messages: Array.from({ length: 1 + this.below(3) }, () => this.message()), max: 40 }),
      () => ({ op: 'enqueue', messages: [this.message()], max: 40 }),
      () => ({ op: 'claim', requests: KEYS.map((one) => ({ ...one, max: 1 + this.below(4), ...this.below(3) === 0 && { total: 3 } })), leaseMs: 500 + this.below(2_000) }),
      () => ({ op: 'settle', settlements: this.settlements() }),
      () => ({ op: 'renew', claims: this.some(), leaseMs: 2_000 }),
      () => ({ op: 'release', claims: this.some().slice(0, 1) }),
      () => ({ op: 'subscriptions', changes: [{ action: 'put', subscription }, ...this.below(3) === 0 ? [{ action: 'pause', key, paused: this.below(2) === 0 }] as const : []] }),
      () => ({ op: 'subscriptions', changes: [{ action: 'retire', key, afterMs: this.below(2) * 1_000 }] }),
      () => (this.below(4) === 0 ? { op: 'purge', key } : { op: 'look' }),
      () => ({ op: 'redrive', selection: { step: key.step }, limit: 3, now: this.at, ...this.below(2) === 0 && { data: 3 } }),
      () => (this.below(4) === 0 ? { op: 'discard', selection: {}, limit: 1 } : { op: 'look' }),
      () => ({ op: 'expire', expiry: { deadBefore: this.at - 20_000, maxDead: 10, unroutedBefore: this.at - 20_000 } }),
      () => (this.below(4) === 0 ? { op: 'leave' } : { op: 'look' }),
    ];
    return this.one(kinds)();
  }

  private message(): WireMessage {
    this.messages += 1;
    const to = this.below(5) === 0 ? 'c' : undefined;
    return {
      id: `m${this.messages}`, topic: to ? '' : this.one(['t', 'u']), to, enqueuedAt: this.at, body: this.below(4),
      ...this.below(3) === 0 && { dueAt: this.at + this.below(2_000) }, ...this.below(3) === 0 && { dedupeKey: `k${this.below(6)}` }, ...this.below(2) === 0 && { groupId: `g${this.below(3)}` },
    };
  }

  private settlements(): Extract<Command, { readonly op: 'settle' }>['settlements'] {
    return this.some().map((claim) => {
      const progress = { attempts: 1, deaths: 0, history: '["e"]' };
      const which = this.below(4);
      if (which === 0) return { action: 'return', claim, progress, ...this.below(2) === 0 && { dueAt: this.at + 700 } };
      return which === 1 ? { action: 'dead', claim, progress, reason: 'max_attempts', at: this.at } : { action: 'done', claim };
    });
  }

  private some(): WireClaim[] {
    return this.claims.splice(0, this.below(4));
  }

  private one<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}

describe('a snapshot of the queue', () => {
  it(`goes on as the queue does that it was made of, in ${RUNS} random histories`, () => {
    let [claimed, died] = [0, 0];
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const entries = new Entries(seed);
      const machine = new QueueMachine();
      let copy = machine;
      for (let count = 0; count < ENTRIES; count += 1) {
        if (count % 17 === 16) copy = restored(copy);
        const entry = entries.next();
        const outcome = machine.apply(entry);
        entries.note(outcome);
        if (copy === machine) continue;
        expect(JSON.stringify(copy.apply(entry)), `seed ${seed}, entry ${count}`).to.equal(JSON.stringify(outcome));
        expect([...linesOf(copy)], `seed ${seed}, after entry ${count}`).to.deep.equal([...linesOf(machine)]);
        expect(copy.bodies.uses, `seed ${seed}, bodies after entry ${count}`).to.deep.equal(machine.bodies.uses);
      }
      for (const { counts } of machine.subscriptions.byKey.values()) claimed += counts.active;
      died += machine.lastLetter;
    }
    expect(claimed).to.be.greaterThan(RUNS / 4);
    expect(died).to.be.greaterThan(RUNS);
  });
});

describe('the lines of a snapshot', () => {
  const mostBytes = (machine: QueueMachine): number => Math.max(...[...linesOf(machine)].map((line) => Buffer.byteLength(line)));
  const look = (member: string, seq: number): LogEntry => ({
    seq, at: seq, member, number: seq, seen: seq - 1, joins: [{ step: 'a', topic: 't' }], commands: [{ op: 'look' }, { op: 'leave' }], bodies: [],
  });

  it('go into messages, however long histories are, and however much was freed', () => {
    const machine = new QueueMachine();
    const progress = { attempts: 10, deaths: 0, history: '"漢"'.repeat(25_000) };
    for (let id = 1; id <= 40; id += 1) {
      machine.letters.add({ id, step: 'a', topic: 't', body: [id, 0, 1], enqueuedAt: 1, progress, reason: 'max_attempts', deadAt: 1 });
      machine.bodies.use({ body: [id, 0, 1] });
    }
    for (let seq = 0; seq < 200_000; seq += 1) machine.bodies.freed.add(9_000_000_000 + seq);
    expect(mostBytes(machine)).to.be.below(300_000);
    expect([...linesOf(restored(machine))]).to.deep.equal([...linesOf(machine)]);
  });

  it('have one vote of the members that have ended, that of the last', () => {
    const machine = new QueueMachine();
    const subscription = { step: 'a', topic: 't', application: 'x', fifo: false, delayMs: 0, settings: '' };
    machine.apply({ ...look('first', 1), commands: [{ op: 'subscriptions', changes: [{ action: 'put', subscription }] }] });
    for (let seq = 2; seq < 500; seq += 1) machine.apply(look(`e${seq}`, seq));
    expect([...machine.subscriptions.get(subscription)?.votes ?? []]).to.deep.equal([['first', 0], ['e499', 499]]);
  });
});
