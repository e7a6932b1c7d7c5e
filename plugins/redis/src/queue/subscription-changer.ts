import { StandingVotes, type SubscriptionChange, type SubscriptionKey } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import type { QueueWork } from './queue-work.js';
import { keyText, recordText } from './subscription-list.js';
import { APPLY, BURY, RETIRE, VOTE } from './subscription-scripts.js';

/** Deliveries that one call makes dead letters of. */
const PORTION = 500;

/** Changes subscriptions, for all engines. */
export class SubscriptionChanger {
  private readonly votes = new StandingVotes();

  constructor(private readonly work: QueueWork) {}

  async change(changes: readonly SubscriptionChange[]): Promise<void> {
    const { work } = this;
    await this.votes.change(changes, () => work.member, async () => {
      for (const change of changes) if (change.action === 'retire') await this.retire(change.key, change.afterMs);
      const rest = changes.flatMap((change) => argsOf(change));
      if (rest.length > 0) await work.run(APPLY, [work.member, ...rest]);
      await work.reload();
    });
    work.store.notifyAll('subscriptions', ['']);
    await work.look();
  }

  /** Votes again when this engine is another member than it was. */
  keepVotes(): Promise<void> {
    const { member } = this.work;
    return this.votes.keep(member, (keys) => this.vote(member, keys));
  }

  /** Makes dead letters of what has come back to retired subscriptions; those that have nothing left go. */
  async buryRetired(): Promise<void> {
    const { work } = this;
    let any = false;
    for (const { number } of work.list.retired) any = await this.bury(String(number)) || any;
    if (any) await this.gone();
  }

  /** Retired subscriptions went. */
  async gone(): Promise<void> {
    await this.work.reload();
    this.work.store.notifyAll('subscriptions', ['']);
  }

  private async vote(member: number, keys: readonly SubscriptionKey[]): Promise<void> {
    const { work } = this;
    const wanted = keys.flatMap((key) => {
      const found = work.list.get(key);
      return found && !found.retired ? [found.number] : [];
    });
    if (wanted.length > 0) await work.run(VOTE, [member, ...wanted]);
  }

  private async retire(key: SubscriptionKey, afterMs: number): Promise<void> {
    const { work } = this;
    const sub = await work.run<string>(RETIRE, [work.member, keyText(key), Math.ceil(afterMs)]);
    if (sub !== '') await this.bury(sub);
  }

  /** True when the subscription went. */
  private async bury(sub: string): Promise<boolean> {
    for (let after = ''; ;) {
      const [next, gone] = await this.work.run<readonly [string, number]>(BURY, [sub, after, PORTION]);
      if (next === '') return gone === 1;
      after = next;
    }
  }
}

function argsOf(change: SubscriptionChange): Arg[] {
  if (change.action === 'retire') return [];
  if (change.action === 'pause') return ['pause', keyText(change.key), change.paused ? '1' : '0'];
  const { subscription } = change;
  const { topic, fifo, delayMs } = subscription;
  return ['put', keyText(subscription), recordText(subscription), fifo ? '1' : '0', delayMs, topic === '' ? '' : keyText({ step: '', topic })];
}
