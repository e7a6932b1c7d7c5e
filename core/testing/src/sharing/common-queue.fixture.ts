import type { ClaimRequest, DeliveryClaim, QueueDelivery, Settlement, SubscriptionChange, SubscriptionKey } from '@treadle/api';
import { MapQueue } from '../map-queue/map-queue.js';
import type { MapDelivery, MapSubscription } from '../map-queue/map-subscription.js';

/** What is wrong with a queue that engines share; the kit must find each. */
export const SHARING_FLAWS = [
  'none', 'leases_never_end', 'others_not_woken', 'renews_nothing', 'start_voids_all', 'claimed_twice', 'group_held_twice', 'settles_stale_claims',
  'votes_ignored', 'votes_for_ever', 'pause_written_back', 'total_of_each', 'time_of_engine', 'dead_for_ever', 'hoards',
] as const;
export type SharingFlaw = (typeof SHARING_FLAWS)[number];

/** An engine that has not been heard of for so long is dead; milliseconds. */
export const DEAD_MS = 1_500;

interface Lease {
  readonly member: string;
  until: number;
}

/** A vote, and when its engine ended; absent while it lives. */
interface Vote {
  readonly key: string;
  readonly member: string;
}

/** What a queue keeps that several engines use: a queue in memory, with their leases and votes. */
export class CommonQueue extends MapQueue {
  private readonly leases = new Map<MapDelivery, Lease>();
  private readonly seen = new Map<string, number>();
  private votes: Vote[] = [];

  constructor(private readonly flaw: SharingFlaw) {
    super();
  }

  /** The engine is alive. */
  hear(member: string): void {
    if (!this.seen.has(member) && this.flaw === 'start_voids_all') this.voidAll(() => true);
    this.seen.set(member, Date.now());
  }

  /** It has stopped. */
  leave(member: string): void {
    this.voidAll((lease) => lease.member === member);
  }

  claimFor(member: string, requests: readonly ClaimRequest[], leaseMs: number): readonly QueueDelivery[] {
    this.endLeases();
    return requests.flatMap((request) => {
      const subscription = this.kept.get(request);
      if (!subscription) return [];
      if (this.flaw === 'group_held_twice') subscription.stored = { ...subscription.stored, fifo: false };
      if (this.flaw === 'claimed_twice') for (const delivery of subscription.deliveries.values()) delivery.epoch = undefined;
      const claims = subscription.claim(Math.min(request.max, this.room(member, subscription, request), this.share(subscription)), Date.now(), () => this.nextEpoch());
      for (const { deliveryId } of claims) this.leases.set(subscription.deliveries.get(deliveryId) as MapDelivery, { member, until: Date.now() + leaseMs });
      return claims;
    });
  }

  renewFor(claims: readonly DeliveryClaim[], leaseMs: number): readonly boolean[] {
    this.endLeases();
    return claims.map((claim) => {
      const delivery = this.claimed(claim);
      const lease = delivery && this.leases.get(delivery);
      if (lease && this.flaw !== 'renews_nothing') lease.until = Date.now() + leaseMs;
      return lease !== undefined;
    });
  }

  settleFor(settlements: readonly Settlement[]): readonly boolean[] {
    this.endLeases();
    return settlements.map((settlement) => this.settle(settlement));
  }

  async changeFor(member: string, changes: readonly SubscriptionChange[]): Promise<void> {
    for (const change of changes) {
      if (change.action === 'put') this.vote(member, change.subscription);
      if (change.action === 'retire' && this.isWanted(member, change.key, change.afterMs)) continue;
      await super.changeSubscriptions([change]);
      if (change.action === 'put' && this.flaw === 'pause_written_back') {
        await super.changeSubscriptions([{ action: 'pause', key: change.subscription, paused: false }]);
      }
    }
  }

  protected override claimed(claim: DeliveryClaim): MapDelivery | undefined {
    return this.flaw === 'settles_stale_claims' ? this.kept.get(claim)?.deliveries.get(claim.deliveryId) : super.claimed(claim);
  }

  private vote(member: string, subscription: SubscriptionKey): void {
    const key = keyOf(subscription);
    if (!this.votes.some((vote) => vote.key === key && vote.member === member)) this.votes.push({ key, member });
  }

  /** Takes the member's vote back, and says whether somebody else's counts. */
  private isWanted(member: string, subscription: SubscriptionKey, afterMs: number): boolean {
    const key = keyOf(subscription);
    this.votes = this.votes.filter((vote) => vote.key !== key || vote.member !== member);
    if (this.flaw === 'votes_ignored') return false;
    const patience = this.flaw === 'votes_for_ever' ? Infinity : Math.max(DEAD_MS, afterMs);
    return this.votes.some((vote) => vote.key === key && Date.now() - (this.seen.get(vote.member) ?? 0) < patience);
  }

  private room(member: string, subscription: MapSubscription, { total = Infinity }: ClaimRequest): number {
    const leases = [...subscription.deliveries.values()].filter(({ epoch }) => epoch !== undefined).map((delivery) => this.leases.get(delivery));
    return total - (this.flaw === 'total_of_each' ? leases.filter((lease) => lease?.member === member) : leases).length;
  }

  /** Of what can be claimed, with all engines that work on it. */
  private share({ stored, deliveries }: MapSubscription): number {
    const engines = this.votes.filter(({ key, member }) => key === keyOf(stored) && Date.now() - (this.seen.get(member) ?? 0) < DEAD_MS).length;
    const free = [...deliveries.values()].filter(({ epoch, dueAt }) => epoch === undefined && dueAt <= Date.now()).length;
    return this.flaw === 'hoards' ? free : Math.ceil(free / Math.max(1, engines));
  }

  private endLeases(): void {
    const now = Date.now();
    const isDead = ({ member }: Lease): boolean => this.flaw !== 'dead_for_ever' && now - (this.seen.get(member) ?? 0) >= DEAD_MS;
    this.voidAll((lease) => isDead(lease) || (lease.until <= now && this.flaw !== 'leases_never_end'));
  }

  private voidAll(test: (lease: Lease) => boolean): void {
    for (const [delivery, lease] of this.leases) {
      if (!test(lease)) continue;
      this.leases.delete(delivery);
      delivery.epoch = undefined;
    }
  }
}

function keyOf({ step, topic }: SubscriptionKey): string {
  return JSON.stringify([step, topic]);
}
