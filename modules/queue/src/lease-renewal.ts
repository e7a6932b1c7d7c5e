import type { Clock, Logger, QueueAdapter, QueueDelivery, Timer } from '@treadle/api';
import { type Dispatcher, LEASE_MS } from './dispatcher.js';

/** Keeps claims alive where several engines share a store; elsewhere claims end with their engine. */
export class LeaseRenewal {
  private timer: Timer | undefined;
  private work: Promise<void> | undefined;

  constructor(private readonly adapter: Pick<QueueAdapter, 'renewMany'>, private readonly dispatcher: Dispatcher, private readonly log: Logger) {}

  start(clock: Clock): void {
    this.timer = clock.every(Math.floor(LEASE_MS / 3), () => void (this.work ??= this.renew()));
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    this.timer = undefined;
    await this.work;
  }

  private async renew(): Promise<void> {
    try {
      const claims = this.dispatcher.claims();
      if (claims.length === 0) return;
      const alive = await this.adapter.renewMany(claims, LEASE_MS);
      this.dispatcher.lost(new Set(claims.filter((_claim: QueueDelivery, index) => alive[index] === false)));
    } catch (error) {
      this.log.warn('leases could not be renewed; it is tried again', { error: String(error) });
    } finally {
      this.work = undefined;
    }
  }
}
