import { markOf, type Settlement } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import { Gatherer } from './gatherer.js';
import { progressText } from './message-text.js';
import type { QueueWork } from './queue-work.js';
import type { Subscription } from './subscription-list.js';
import { SETTLE } from './work-scripts.js';

const LIMITS = { atOnce: 2, weight: 500, weightOf: (): number => 1 };

/** A settlement whose claim may hold. */
export interface Known {
  readonly settlement: Settlement;
  readonly subscription: Subscription;
  /** `<member>.<seq>` of the claim. */
  readonly mark: string;
}

/** Ends claims. What comes while enough is under way goes with the next one. */
export class Settler {
  private readonly gatherer = new Gatherer<Settlement, boolean>(LIMITS, (settlements) => this.write(settlements));

  /** @param limited subscriptions where others may go on after each settlement @param gone called when retired subscriptions went */
  constructor(private readonly work: QueueWork, private readonly limited: ReadonlySet<number>, readonly gone: () => Promise<void>) {}

  settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.gatherer.add(settlements);
  }

  private async write(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    const { done, others } = apart(settlements.flatMap((settlement) => this.knownOf(settlement) ?? []));
    const known = [...[...done.values()].flat(), ...others];
    if (known.length === 0) return settlements.map(() => false);
    const args = [...[...done.values()].flatMap(doneArgs), ...others.flatMap((one) => this.argsOf(one))];
    const replies = await this.work.run<readonly number[]>(SETTLE, args);
    const ended = known.filter((_one, index) => replies[index] === 1);
    this.tell(ended);
    if ((replies[known.length] ?? 0) > 0) await this.gone();
    const held = new Set(ended.map(({ settlement }) => settlement));
    return settlements.map((settlement) => held.delete(settlement));
  }

  /** Undefined: its claim is none of this store. */
  knownOf(settlement: Settlement): Known | undefined {
    const subscription = this.work.list.get(settlement.claim);
    const mark = markOf(settlement.claim);
    return subscription && mark && { settlement, subscription, mark: `${mark.member}.${mark.seq}` };
  }

  /** As the scripts have one by itself. */
  argsOf({ settlement, subscription, mark }: Known): Arg[] {
    const { time } = this.work;
    const head = [settlement.action, subscription.number, settlement.claim.deliveryId, mark];
    if (settlement.action === 'done') return head;
    const progress = progressText(settlement.progress);
    if (settlement.action === 'dead') return [...head, progress, time.toStore(settlement.at), settlement.reason];
    return [...head, progress, settlement.dueAt === undefined ? '' : time.toStore(settlement.dueAt), ''];
  }

  /** They have ended. */
  tell(ended: readonly Known[]): void {
    const { work } = this;
    const now = work.time.now();
    const ready = new Set<number>();
    for (const { settlement, subscription: { number, stored } } of ended) {
      const due = settlement.action === 'return' && settlement.dueAt !== undefined ? work.time.toStore(settlement.dueAt) : 0;
      if (due > now) work.due.note(number, due);
      if ((settlement.action === 'return' && due <= now) || stored.fifo || this.limited.has(number)) ready.add(number);
    }
    work.wake(ready, true);
  }
}

/** What is done by subscription and mark, and all else. Of several settlements of one claim the first counts. */
function apart(known: readonly Known[]): { readonly done: ReadonlyMap<string, readonly Known[]>; readonly others: readonly Known[] } {
  const seen = new Set<string>();
  const done = new Map<string, Known[]>();
  const others: Known[] = [];
  for (const one of known) {
    const call = `${one.subscription.number} ${one.mark}`;
    const claim = `${call} ${one.settlement.claim.deliveryId}`;
    if (seen.has(claim)) continue;
    seen.add(claim);
    const together = done.get(call);
    if (one.settlement.action !== 'done') others.push(one);
    else if (together) together.push(one);
    else done.set(call, [one]);
  }
  return { done, others };
}

/** As `SETTLE` has what is done of one call. */
function doneArgs(known: readonly Known[]): Arg[] {
  const [{ subscription, mark }] = known as readonly [Known];
  return ['done', subscription.number, mark, known.length, ...known.map(({ settlement }) => settlement.claim.deliveryId)];
}
