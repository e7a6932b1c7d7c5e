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
    const known = settlements.map((settlement) => this.knownOf(settlement));
    const args = known.flatMap((one) => (one ? this.argsOf(one) : []));
    if (args.length === 0) return settlements.map(() => false);
    const replies = [...await this.work.run<readonly number[]>(SETTLE, args)];
    const ended = known.map((one) => one !== undefined && replies.shift() === 1);
    this.tell(known.filter((one, index): one is Known => ended[index] === true && one !== undefined));
    if ((replies[0] ?? 0) > 0) await this.gone();
    return ended;
  }

  /** Undefined: its claim is none of this store. */
  knownOf(settlement: Settlement): Known | undefined {
    const subscription = this.work.list.get(settlement.claim);
    const mark = markOf(settlement.claim);
    return subscription && mark && { settlement, subscription, mark: `${mark.member}.${mark.seq}` };
  }

  /** As `SETTLE` has it. */
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
