import type { AdoptedDelivery, Settlement } from '@treadle/api';
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
  constructor(private readonly work: QueueWork) {}

  async settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    const { work } = this;
    const ofStore = settlements.filter(({ claim }) => !work.laneOf(claim));
    const now = work.clock.monotonic();
    // Whether a claim is void that went with the connection is said when there is one again.
    if (settlements.some(({ claim }) => work.laneOf(claim)?.holds(claim, now) === false)) await work.reach();
    const ended = settlements.flatMap((settlement): Ended[] => {
      const lane = work.laneOf(settlement.claim);
      const held = lane?.end(settlement.claim, now);
      return lane && held ? [{ settlement, lane, held }] : [];
    });
    const [stored, carried] = await settled(ofStore.length > 0 ? work.store.settleMany(ofStore) : Promise.resolve([]), this.endAll(ended));
    return settlements.map((settlement) => {
      const at = ofStore.indexOf(settlement);
      return at < 0 ? carried.has(settlement) : stored[at] ?? false;
    });
  }

  /** Those that were carried out. */
  private async endAll(ended: readonly Ended[]): Promise<ReadonlySet<Settlement>> {
    const moved = ended.filter(({ settlement }) => settlement.action !== 'done');
    const fresh = await this.move(moved);
    const accepted = new Set(fresh.map(({ settlement }) => settlement));
    const byLane = new Map<Lane, Ended[]>();
    for (const one of ended) byLane.set(one.lane, [...byLane.get(one.lane) ?? [], one]);
    await Promise.all([...byLane].map(async ([lane, these]) => {
      const removed = await lane.remove(these.map(({ held }) => held));
      if (removed) for (const { settlement } of these) if (settlement.action === 'done') accepted.add(settlement);
    }));
    return accepted;
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

/** Both, also when one of them fails: nothing is under way any more when this one fails. */
async function settled<A, B>(one: Promise<A>, other: Promise<B>): Promise<readonly [A, B]> {
  const [a, b] = await Promise.allSettled([one, other]);
  if (a.status === 'rejected') throw a.reason as Error;
  if (b.status === 'rejected') throw b.reason as Error;
  return [a.value, b.value];
}
