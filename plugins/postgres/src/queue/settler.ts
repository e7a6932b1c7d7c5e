import { markOf, Batcher, type DeliveryClaim, type Settlement } from '@treadle/api';
import { bigints, integers, texts } from '../store/binary-arrays.js';
import type { Queries } from '../store/connections.js';
import type { QueueWork } from './queue-work.js';
import type { Subscription } from './subscription-list.js';

/** Settlements that are written at once. */
const MOST = 2_000;

/** Gives the ids whose claims did not hold, the others those that did; null when subscriptions have changed. */
const DONE = 'SELECT queue_end($1, $2, $3, $4, $5, $6, $7, $8) AS ids';
const DEAD = 'SELECT queue_dead_letters($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS ids';
const BACK = 'SELECT queue_give_back($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS ids';

/** A settlement whose claim may hold. */
export interface Known<S extends Settlement = Settlement> {
  readonly settlement: S;
  readonly subscription: Subscription;
  readonly member: number;
  readonly seq: number;
}
type Action = Settlement['action'];
type Returned = Extract<Settlement, { action: 'return' }>;
type Dead = Extract<Settlement, { action: 'dead' }>;

/** Ends claims. What comes while a write is under way goes with the next one. */
export class Settler {
  /** Deliveries that it has removed. */
  gone = 0;
  private readonly batcher: Batcher<Settlement, boolean>;

  /** @param limited subscriptions where others may go on after each settlement */
  constructor(private readonly work: QueueWork, private readonly limited: ReadonlySet<number>, private readonly buried: () => Promise<void>) {
    this.batcher = new Batcher(work.settling, MOST, (settlements) => this.write(settlements));
  }

  settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.batcher.add(settlements);
  }

  /** The same, for who holds the lane of settlements. */
  async write(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    const ended: Known[] = [];
    for (const known of apart(this.knownOf(settlements))) {
      for (const action of ['done', 'dead', 'return'] as const) {
        const these = known.filter(({ settlement }) => settlement.action === action);
        if (these.length > 0) ended.push(...await this.writeAll(action, these));
      }
    }
    await this.ended(ended);
    const held = new Set(ended.map(({ settlement }) => settlement));
    return settlements.map((settlement) => held.delete(settlement));
  }

  /** Those have been written. */
  async ended(ended: readonly Known[]): Promise<void> {
    this.tell(ended);
    if (ended.some(({ subscription }) => this.work.list.numbered(subscription.number)?.retired)) await this.buried();
  }

  /** Writes one within a transaction. False when its claim does not hold; undefined when subscriptions have changed meanwhile. */
  async writeWithin(within: Queries, known: Known): Promise<boolean | undefined> {
    const settled = await this.settled(within, known.settlement.action, [known]);
    return settled && settled.length > 0;
  }

  /** Those whose claim may hold, each claim once. */
  knownOf(settlements: readonly Settlement[]): Known[] {
    const seen = new Set<string>();
    return settlements.flatMap((settlement) => {
      const subscription = this.work.list.get(settlement.claim);
      const mark = markOf(settlement.claim);
      if (!subscription || !mark || seen.has(claimText(settlement.claim))) return [];
      seen.add(claimText(settlement.claim));
      return [{ settlement, subscription, ...mark }];
    });
  }

  /** Gives those that were settled. */
  private writeAll(action: Action, known: readonly Known[]): Promise<readonly Known[]> {
    return this.work.current(() => this.settled(this.work.queries, action, known));
  }

  /** Undefined when subscriptions have changed meanwhile; then nothing was written. */
  private async settled(queries: Queries, action: Action, known: readonly Known[]): Promise<readonly Known[] | undefined> {
    const { text, values } = statementOf(action, known, this.work);
    const [row] = await queries.rows<{ ids: readonly (number | string)[] | null }>(text, values, `queue.${action}`);
    if (!row?.ids) return undefined;
    const told = new Set(row.ids.map(Number));
    return known.filter(({ settlement }) => told.has(settlement.claim.deliveryId) !== (action === 'done'));
  }

  private tell(ended: readonly Known[]): void {
    const { work } = this;
    const now = work.time.now();
    const ready = new Set<number>();
    for (const { settlement, subscription: { number, stored } } of ended) {
      if (settlement.action !== 'return') {
        work.counts.add(number, -1);
        this.gone += 1;
      }
      const due = settlement.action === 'return' && settlement.dueAt !== undefined ? work.time.toStore(settlement.dueAt) : 0;
      if (due > now) work.due.note(number, due);
      if ((settlement.action === 'return' && due <= now) || stored.fifo || this.limited.has(number)) ready.add(number);
    }
    work.wake(ready, true);
  }
}

function statementOf(action: Action, known: readonly Known[], { list, time }: QueueWork): { readonly text: string; readonly values: readonly unknown[] } {
  const head = [list.version, time.now()];
  if (action === 'done') return { text: DONE, values: [...head, fifoOf(known), ...claimsOf(known)] };
  const claims = [
    integers(known.map(({ subscription }) => subscription.number)), bigints(known.map(({ settlement }) => settlement.claim.deliveryId)),
    bigints(known.map(({ member }) => member)), bigints(known.map(({ seq }) => seq)),
  ];
  if (action === 'return') {
    const returned = known as readonly Known<Returned>[];
    const due = returned.map(({ settlement: { dueAt } }) => (dueAt === undefined ? null : time.toStore(dueAt)));
    return { text: BACK, values: [...head, ...claims, ...progressOf(returned), bigints(due)] };
  }
  const dead = known as readonly Known<Dead>[];
  const ends = [texts(dead.map(({ settlement }) => settlement.reason)), bigints(dead.map(({ settlement }) => time.toStore(settlement.at)))];
  return { text: DEAD, values: [...head, fifoOf(known), ...claims, ...progressOf(dead), ...ends] };
}

/** What one call has claimed in one subscription is one element of the first arrays; see `queue_end`. */
function claimsOf(known: readonly Known[]): readonly (Buffer | null)[] {
  const calls = new Map<string, Known[]>();
  for (const one of known) {
    const text = `${one.subscription.number} ${one.member} ${one.seq}`;
    const call = calls.get(text);
    if (call) call.push(one);
    else calls.set(text, [one]);
  }
  const all = [...calls.values()];
  const first = all.map(([one]) => one as Known);
  let end = 0;
  return [
    integers(first.map(({ subscription }) => subscription.number)), bigints(first.map(({ member }) => member)), bigints(first.map(({ seq }) => seq)),
    integers(all.map(({ length }) => end += length)), bigints(all.flatMap((call) => call.map(({ settlement }) => settlement.claim.deliveryId))),
  ];
}

function progressOf(known: readonly Known<Returned | Dead>[]): readonly (Buffer | null)[] {
  const all = known.map(({ settlement }) => settlement.progress);
  return [integers(all.map(({ attempts }) => attempts)), integers(all.map(({ deaths }) => deaths)), texts(all.map(({ history }) => history))];
}

/** Claims of one delivery one after the other: at most one of them holds, and the answer has to be that one's. */
function apart(known: readonly Known[]): readonly (readonly Known[])[] {
  const rounds: Known[][] = [];
  const counts = new Map<number, number>();
  for (const one of known) {
    const round = counts.get(one.settlement.claim.deliveryId) ?? 0;
    counts.set(one.settlement.claim.deliveryId, round + 1);
    (rounds[round] ??= []).push(one);
  }
  return rounds;
}

/** Numbers of the fifo subscriptions, ascending: so are their locks taken. */
function fifoOf(known: readonly Known[]): Buffer {
  return integers([...new Set(known.filter(({ subscription }) => subscription.stored.fifo).map(({ subscription }) => subscription.number))].sort((a, b) => a - b));
}

const claimText = ({ step, topic, epoch }: DeliveryClaim): string => JSON.stringify([step, topic, epoch]);
