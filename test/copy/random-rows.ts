import { TRANSFER_ROWS, type TransferRow } from '@treadle/api';

/** Names that stores have mixed up or could not keep. Half a surrogate pair is the one that KvStore refuses. */
export const NAMES: readonly string[] = [
  '__proto__', 'constructor', 'a b', 'a\u0000b', 'a\u0001b', '\u0001\u0003d83d', '😀', "'\";--", '\\', '%', '_', 'a:b', 'topic:', 's ', '["a","b"]', 'é', '\uffff', 'A', 'a', ' ', 'x'.repeat(500),
];
export const HALF_PAIR = '\ud83d';

const NOW = Date.now();
const DAY = 24 * 60 * 60 * 1000;
const TEXTS = ['null', '0', '""', '{"__proto__":{"a":1},"b":"\\u0000"}', '[1.5,-0.25,1e+21]', '"\\ud83d"', '{"é":"😀","x":[[],{}]}'];

/** Rows of every kind of a slot. */
export type Rows = Readonly<Record<string, readonly TransferRow[]>>;

/** What a store may hold, decided by random numbers alone. */
export class RandomRows {
  constructor(private readonly random: () => number, private readonly names = NAMES) {}

  get state(): Rows {
    const places = this.pairs(40);
    return {
      entry: places.map(([group, key]) => {
        const text = this.maybe(() => this.text(), 0.8);
        return row({ group, key, text, revision: this.int(1e6), dueAt: text === undefined ? this.moment() : this.maybe(() => this.moment()) });
      }),
      floor: this.some(5).map((group) => ({ group, revision: this.int(1e6) })),
      change: this.rising(10).map((order) => {
        const [group, key, oldText, newText] = [this.name(), this.name(), this.maybe(() => this.text()), this.maybe(() => this.text())];
        return row({ order, id: `c-${order}`, group, key, oldText, newText, revision: this.int(1e6), origin: this.maybe(() => '{"hops":1}') });
      }),
    };
  }

  get queue(): Rows {
    const subscriptions = this.pairs(12).map(([step, topic], index) => ({ step: index < 2 ? '' : step, topic }));
    const messages = subscriptions.flatMap((key) => this.rising(this.int(12)).map((order) => row({ ...key, order, ...this.message(), hops: this.int(5), dueAt: this.maybe(() => this.moment()) })));
    return {
      subscription: subscriptions.map((key) => ({
        ...key, application: this.name(), fifo: key.step !== '' && this.random() < 0.5, delayMs: this.int(1e5), paused: this.random() < 0.3, settings: '{"n":1}', retired: false,
      })),
      delivery: messages,
      letter: this.rising(15).map((order) => row({ order, step: this.name(), topic: this.name(), reason: 'max_attempts', deadAt: this.moment(), ...this.message() })),
      key: this.pairs(15).map(([name, key]) => ({ scope: this.random() < 0.5 ? 'topic' : 'step', name, key, messageId: `m${this.int(1e9)}`, until: this.moment() })),
    };
  }

  get stream(): Rows {
    const groups = this.pairs(8);
    let order = 0;
    return {
      group: groups.map(([stream, groupId]) => ({ stream, groupId, floor: this.int(1e6), usedAt: this.moment() })),
      item: groups.flatMap(([stream, groupId]) => this.some(this.int(10)).map((id) => (
        { stream, groupId, id, order: order += 1 + this.int(5), text: this.text(), revision: 1 + this.int(1e6) }))),
      floor: [{ revision: 1 + this.int(1e6) }],
      change: this.rising(10).map((at) => (
        { order: at, id: `s-${at}`, stream: this.name(), groupId: this.name(), itemId: this.name(), type: 'update', text: this.text(), origin: '{"hops":2}' })),
    };
  }

  get cron(): Rows {
    const triggers = this.pairs(6);
    return {
      schedule: triggers.map(([step, trigger]) => row({ step, trigger, since: this.moment(), paused: this.random() < 0.5, lastTick: this.maybe(() => this.moment()) })),
      run: this.rising(20).map((order) => {
        const [step, trigger] = triggers[order % triggers.length] ?? ['', ''];
        const [durationMs, error] = [this.maybe(() => this.int(1e5)), this.maybe(() => `it failed: ${this.int(100)} é😀`)];
        return row({
          order, id: `run-${order}`, step, trigger, scheduledAt: NOW + order * 1000, firedAt: NOW + order * 1000 + 5, attempt: 1 + this.int(4), manual: this.random() < 0.2,
          missed: this.random() < 0.2, status: this.random() < 0.2 ? 'running' : 'failed', durationMs, traceId: 'a'.repeat(32), error,
        });
      }),
      span: triggers.map(([step, trigger]) => ({ step, trigger, first: NOW - DAY, last: NOW - DAY + 1000 * this.int(100) })),
    };
  }

  private message(): TransferRow {
    return row({
      messageId: `m${this.int(1e12)}`, kind: ['queue', 'state', 'stream', 'trigger'][this.int(4)], data: this.text(), headers: this.maybe(() => '{"a":"é"}'), traceparent: '00-1-2-01',
      enqueuedAt: this.moment(), groupId: this.maybe(() => this.name()), attempts: this.int(5), deaths: this.int(3), history: this.random() < 0.5 ? '' : '["no"]',
    });
  }

  private int(below: number): number {
    return Math.floor(this.random() * below);
  }

  private moment(): number {
    return NOW - DAY + this.int(2 * DAY);
  }

  private name(): string {
    return this.names[this.int(this.names.length)] ?? '';
  }

  private text(): string {
    return this.random() < 0.05 ? JSON.stringify('é'.repeat(this.int(200_000))) : TEXTS[this.int(TEXTS.length)] ?? 'null';
  }

  private maybe<T>(make: () => T, chance = 0.5): T | undefined {
    return this.random() < chance ? make() : undefined;
  }

  private some(count: number): readonly string[] {
    return [...new Set(Array.from({ length: count }, () => this.name()))];
  }

  private pairs(count: number): readonly (readonly [string, string])[] {
    const pairs = Array.from({ length: count }, () => [this.name(), this.name()] as const);
    return [...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values()];
  }

  private rising(count: number): readonly number[] {
    let last = 0;
    return Array.from({ length: count }, () => last += 1 + this.int(3));
  }
}

/**
 * Rows as a copy has to keep them, in an order of their own: what only orders rows is its rank among those of the same place, and changes have other ids elsewhere.
 * @throws an `Error` for a row with a member that its kind does not have
 */
export function comparable(slots: Readonly<Record<string, Rows>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(slots).map(([slot, rows]) => [slot, comparableSlot(slot, rows)]));
}

function comparableSlot(slot: string, rows: Rows): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(rows).map(([kind, all]) => {
    const ranks = new Map<string, number>();
    const known = TRANSFER_ROWS[slot]?.[kind] ?? [];
    const texts = [...all].sort((a, b) => Number(a['order'] ?? 0) - Number(b['order'] ?? 0)).map((each) => {
      const strange = Object.keys(each).filter((name) => !known.includes(name));
      if (strange.length > 0) throw new Error(`${slot}.${kind} has no ${strange.join(', ')}`);
      const place = JSON.stringify(kind === 'delivery' ? [each['step'], each['topic']] : kind === 'item' ? [each['stream'], each['groupId']] : []);
      ranks.set(place, (ranks.get(place) ?? 0) + 1);
      const entries = Object.entries({ ...each, ...'order' in each && { order: ranks.get(place) } }).filter(([name]) => kind !== 'change' || name !== 'id');
      return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
    });
    return [kind, texts.sort()];
  }));
}

function row(members: Readonly<Record<string, string | number | boolean | undefined>>): TransferRow {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
