import type { AdoptedDelivery, DeliveryClaim, Settlement } from '@treadle/api';
import type { Lane } from './lane.js';
import type { Held } from './pushed.js';
import { adopted } from './carried-message.js';
import type { QueueWork } from './queue-work.js';

/** A settlement of what the server carried, whose claim holds. */
interface Ended {
  readonly settlement: Settlement;
  readonly lane: Lane;
  readonly held: Held;
}

/**
 * Ends claims. What is done is acknowledged to the server. What comes back, or is dead, is written into the second store first and acknowledged then: one
 * that dies in between leaves the server's delivery behind, which the second store knows by its message's id.
 */
export class Settler {
  /** Claims that were ended in a call that failed for others: who repeats it is told so. */
  private readonly ended = new Set<string>();

  constructor(private readonly work: QueueWork) {}

  async settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    const accepted = new Set(settlements.filter(({ claim }) => this.ended.delete(textOf(claim))));
    const left = settlements.filter((one) => !accepted.has(one));
    const isCarried = ({ claim }: Settlement): boolean => this.work.laneOf(claim) !== undefined;
    try {
      await all([this.settleStored(left.filter((one) => !isCarried(one)), accepted), this.settleCarried(left.filter(isCarried), accepted)]);
    } catch (error) {
      for (const { claim } of accepted) this.ended.add(textOf(claim));
      throw error;
    }
    return settlements.map((one) => accepted.delete(one));
  }

  private async settleStored(settlements: readonly Settlement[], accepted: Set<Settlement>): Promise<void> {
    if (settlements.length === 0) return;
    const settled = await this.work.store.settleMany(settlements);
    settlements.forEach((one, at) => settled[at] && accepted.add(one));
  }

  private async settleCarried(settlements: readonly Settlement[], accepted: Set<Settlement>): Promise<void> {
    const { work } = this;
    const now = work.clock.monotonic();
    const ended = settlements.flatMap((settlement): Ended[] => {
      const lane = work.laneOf(settlement.claim);
      const held = lane?.end(settlement.claim, now);
      return lane && held ? [{ settlement, lane, held }] : [];
    });
    // Whether a claim is void that went with the connection is said when there is one again.
    await all([this.endAll(ended, accepted), ended.length < settlements.length ? work.reach() : undefined]);
  }

  /** Adds to `accepted` what was carried out, also when the rest fails. */
  private async endAll(ended: readonly Ended[], accepted: Set<Settlement>): Promise<void> {
    const moved = ended.filter(({ settlement }) => settlement.action !== 'done');
    const [moving] = await Promise.allSettled([this.move(moved)]);
    if (moving.status === 'fulfilled') for (const { settlement } of moving.value) accepted.add(settlement);
    const leaving = moving.status === 'fulfilled' ? ended : ended.filter((one) => !moved.includes(one));
    const byLane = new Map<Lane, Ended[]>();
    for (const one of leaving) {
      const others = byLane.get(one.lane);
      if (others) others.push(one);
      else byLane.set(one.lane, [one]);
    }
    await all([moving.status === 'fulfilled' ? undefined : Promise.reject(moving.reason as Error), ...[...byLane].map(async ([lane, these]) => {
      const removed = await lane.remove(these.map(({ held }) => held));
      if (removed) for (const { settlement } of these) if (settlement.action === 'done') accepted.add(settlement);
    })]);
  }

  /** Those that the second store has taken in now, and not before. */
  private async move(moved: readonly Ended[]): Promise<readonly Ended[]> {
    if (moved.length === 0) return [];
    try {
      const fresh = await this.work.adopt(moved.map(adoptedOf));
      return moved.filter((_, index) => fresh[index]);
    } catch (error) {
      for (const { lane, held } of moved) lane.restore(held);
      throw error;
    }
  }
}

function adoptedOf({ settlement, lane, held: { message } }: Ended): AdoptedDelivery {
  const delivery = adopted(lane.key, message);
  if (settlement.action === 'done') return delivery;
  const { progress } = settlement;
  if (settlement.action === 'return') return { ...delivery, progress, dueAt: settlement.dueAt };
  return { ...delivery, progress, dead: { reason: settlement.reason, at: settlement.at } };
}

/** A claim as one text. */
function textOf({ step, topic, deliveryId, epoch }: DeliveryClaim): string {
  return JSON.stringify([step, topic, deliveryId, epoch]);
}

/** All of them, also when one fails: nothing is under way any more when this one fails. */
async function all<T extends readonly unknown[]>(tasks: readonly [...T]): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
  const ended = await Promise.allSettled(tasks);
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason as Error;
    return one.value;
  }) as unknown as { readonly [K in keyof T]: Awaited<T[K]> };
}
