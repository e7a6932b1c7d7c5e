import type { Logger, QueueAdapter } from '@treadle/api';
import { type DeliveryPump, LEASE_MS } from './delivery-pump.js';
import { Recurring } from '../recurring.js';

/** Keeps claims alive where several engines share a store; elsewhere claims end with their engine. */
export class LeaseRenewal extends Recurring {
  constructor(private readonly adapter: Pick<QueueAdapter, 'renewMany'>, private readonly pump: DeliveryPump, log: Logger) {
    super(Math.floor(LEASE_MS / 3), 'leases could not be renewed; it is tried again', log);
  }

  protected override async work(): Promise<void> {
    const claims = this.pump.claims();
    if (claims.length === 0) return;
    const alive = await this.adapter.renewMany(claims, LEASE_MS);
    this.pump.lost(new Set(claims.filter((_claim, index) => alive[index] === false)));
  }
}
