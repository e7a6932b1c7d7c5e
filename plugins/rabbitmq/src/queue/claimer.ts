import type { ClaimRequest, DeliveryClaim, QueueDelivery, SubscriptionKey, Timer } from '@treadle/api';
import type { Lane } from './lane.js';
import type { QueueWork } from './queue-work.js';
import { textOf } from './subscription-list.js';

/** Hands out what the server has pushed and what the second store has. */
export class Claimer {
  private timer: Timer | undefined;
  /** When it goes off, by the engine's monotonic clock. */
  private timerAt = Infinity;
  /** Subscriptions that the server must not carry, and of which nothing lay there. */
  private readonly drained = new Set<string>();

  constructor(private readonly work: QueueWork) {}

  async claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    const { work } = this;
    if (requests.some((request) => !work.list.get(request))) await work.reload();
    const known = requests.filter((request) => request.max > 0 && work.list.get(request)?.paused === false);
    for (const request of known) if (request.total !== undefined) work.limit(request);
    const gathered = await Promise.allSettled(known.map((request) => this.gather(request)));
    const [read] = await Promise.allSettled([this.claimStored(known, leaseMs)]);
    const fault = [read, ...gathered].find((one) => one.status === 'rejected');
    // What either of them has goes on while the other one is away.
    const stored = read.status === 'fulfilled' ? read.value : [];
    const until = work.clock.monotonic() + leaseMs;
    const claimed = known.flatMap((request) => {
      const there = ofRequest(stored, request);
      return [...there, ...this.take(request, request.max - there.length, until)];
    });
    if (fault?.status === 'rejected' && claimed.length === 0) throw fault.reason as Error;
    if (claimed.length > stored.length) this.watch(until);
    return claimed;
  }

  async renewMany(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> {
    const { work } = this;
    const now = work.clock.monotonic();
    const others = claims.filter((claim) => !work.laneOf(claim));
    const renewed = others.length > 0 ? await work.store.renewMany(others, leaseMs) : [];
    return claims.map((claim) => {
      const lane = work.laneOf(claim);
      return lane ? lane.renew(claim, now, leaseMs) : renewed[others.indexOf(claim)] ?? false;
    });
  }

  close(): void {
    this.timer?.cancel();
  }

  /** What the server is to hand out comes here; what it must not goes into the second store. */
  private async gather(request: ClaimRequest): Promise<void> {
    const { work } = this;
    const lane = work.lane(request);
    const text = textOf(request);
    if (work.isCarried(request)) {
      this.drained.delete(text);
      return lane.gather(request.max);
    }
    // Once: then the engine listens, or hears of the queue when there is one. Without the server the second store goes on.
    if (this.drained.has(text) && lane.isAttended && !lane.mayHaveMore) return;
    await this.drain(lane).then(() => void this.drained.add(text), () => undefined);
  }

  private async drain(lane: Lane): Promise<void> {
    // Engines that do not claim never learn of the limit and send to the server for good: their queue is listened to before they make it.
    if (this.work.isLimited(lane.key)) await lane.open();
    await lane.drain();
  }

  private async claimStored(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    const { work } = this;
    const asked = requests.filter((request) => work.mayBeInStore(request)).map((request) => this.withoutHeld(request));
    if (asked.length === 0) return [];
    for (const request of asked) work.noteInStore(request, false);
    try {
      const claimed = await work.store.claimMany(asked, leaseMs);
      for (const request of asked) if (ofRequest(claimed, request).length >= request.max) work.noteInStore(request, true);
      return claimed;
    } catch (error) {
      for (const request of asked) work.noteInStore(request, true);
      throw error;
    }
  }

  /** What was claimed of the server before a limit counted counts as well. */
  private withoutHeld(request: ClaimRequest): ClaimRequest {
    const held = request.total === undefined ? 0 : this.work.lane(request).held.size;
    return held === 0 ? request : { ...request, total: Math.max(0, (request.total ?? 0) - held) };
  }

  private take(key: SubscriptionKey, most: number, until: number): readonly QueueDelivery[] {
    return this.work.isCarried(key) ? this.work.lane(key).take(most, until) : [];
  }

  /** Ends leases that nobody renews. */
  private watch(until: number): void {
    if (until >= this.timerAt) return;
    this.timer?.cancel();
    this.timerAt = until;
    this.timer = this.work.clock.after(Math.max(1, until - this.work.clock.monotonic()), () => {
      this.timerAt = Infinity;
      const now = this.work.clock.monotonic();
      const lanes = this.work.openLanes();
      for (const lane of lanes) lane.expire(now);
      this.watch(Math.min(...lanes.flatMap((lane) => lane.leaseEnds())));
    });
  }
}

function ofRequest(deliveries: readonly QueueDelivery[], { step, topic }: SubscriptionKey): readonly QueueDelivery[] {
  return deliveries.filter((one) => one.step === step && one.topic === topic);
}
