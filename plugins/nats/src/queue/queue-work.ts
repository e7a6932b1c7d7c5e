import {
  type ClaimRequest, type CommitOutcome, type DeliveryClaim, type DeliveryCommit, type EnqueueOutcome, type NewMessage, OperationError, type QueueDelivery,
  type Settlement,
} from '@treadle/api';
import { portionsOf } from '../store/in-portions.js';
import type { Claimed } from './machine/queue-machine.js';
import type { SharedQueue } from './shared-queue.js';
import { commitCommand, enqueueCommand, sizeOf, wireClaim, wireSettlement, type Written } from './wire.js';

/** What one command settles or renews: bytes, and claims. */
const SETTLED_BYTES = 300_000;
const RENEWED_AT_ONCE = 1_000;

/** What Steps do with the queue: messages in, claims, and their ends. */
export class QueueWork {
  constructor(private readonly queue: SharedQueue) {}

  enqueueMany(batches: readonly (readonly NewMessage[])[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return this.all(batches.map((batch) => enqueueCommand(batch, maxWaiting, this.queue.store.time)));
  }

  commitMany(commits: readonly DeliveryCommit[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
    if (commits.some(({ writes }) => writes.length > 0)) throw new OperationError('QueueInvalidArgument', 'NATS does not write state or streams with the end of a delivery');
    return this.all(commits.map((commit) => commitCommand(commit, maxWaiting, this.queue.store.time)));
  }

  async claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    const wanted = requests.filter(({ max }) => max > 0).map(({ step, topic, max, total }) => ({ step, topic, max, total }));
    if (wanted.length === 0) return [];
    const claimed = await this.queue.run<readonly Claimed[]>(() => ({ op: 'claim', requests: wanted, leaseMs: Math.ceil(leaseMs) }));
    for (const one of claimed) if (one.more) this.queue.wakeLater(one);
    try {
      return await this.deliveriesOf(claimed);
    } catch (error) {
      this.queue.forget(claimed);
      throw error;
    }
  }

  async settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    const wired = settlements.map((settlement) => wireSettlement(settlement, this.queue.store.time));
    const written = portionsOf(wired, SETTLED_BYTES, sizeOf).map((portion): Written => (
      { bodies: [], about: portion.reduce((sum, one) => sum + sizeOf(one), 0), command: () => ({ op: 'settle', settlements: portion }) }));
    return (await this.all<readonly boolean[]>(written)).flat();
  }

  async renewMany(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> {
    const wired = claims.map(wireClaim);
    return (await this.all<readonly boolean[]>(
      portionsOf(wired, RENEWED_AT_ONCE, () => 1).map((portion) => (
        { bodies: [], about: undefined, command: () => ({ op: 'renew', claims: portion, leaseMs: Math.ceil(leaseMs) }) })))).flat();
  }

  private async deliveriesOf(claimed: readonly Claimed[]): Promise<readonly QueueDelivery[]> {
    const all = claimed.flatMap(({ step, topic, taken }) => taken.map((delivery) => ({ step, topic, delivery })));
    const contents = await this.queue.replica.bodies.contentsOf(all.map(({ delivery }) => delivery));
    return contents.map((content, index) => {
      const { step, topic, delivery: { id, held, progress } } = all[index] as (typeof all)[number];
      return { step, topic, deliveryId: id, epoch: held?.epoch ?? '', ...content, progress };
    });
  }

  private all<T>(written: readonly Written[]): Promise<readonly T[]> {
    return Promise.all(written.map(({ command, bodies, about }) => this.queue.run<T>(command, bodies, about)));
  }
}
