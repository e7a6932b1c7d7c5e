import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../../support/http-client.js';
import type { Group, Publish } from './application.js';

/** Events a second of each group. */
export interface Pace {
  readonly seconds: number;
  readonly perSecond: number;
}

/** Events of one request; more might be more than may wait for a reader. */
const AT_ONCE = 40;

/** Has the application's Step publish, a request for each event. */
export class Publisher {
  private number = 0;

  constructor(private readonly url: string) {}

  /** Every second one is stored, the others are only sent. Resolves when the time is over and all are answered. */
  async pace(group: Group, bytes: number, { seconds, perSecond }: Pace): Promise<void> {
    const began = performance.now();
    for (let count = 0; count < seconds * perSecond; count += 1) {
      await this.publish({ group, bytes, stored: count % 2 === 0 });
      const next = began + ((count + 1) * 1000) / perSecond;
      await sleep(Math.max(0, next - performance.now()));
    }
  }

  /** As many and as fast as they are taken. */
  async many(group: Group, bytes: number, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += AT_ONCE) await this.publish({ group, bytes, stored: false, times: Math.min(AT_ONCE, count - sent) });
  }

  async last(group: Group): Promise<void> {
    await this.publish({ group, bytes: 1, stored: false, last: true });
  }

  private async publish(one: Omit<Publish, 'number'>): Promise<void> {
    const { status, text } = await request('POST', `${this.url}/publish`, { ...one, number: this.number });
    if (status !== 200) throw new Error(`publishing was answered ${status}: ${text}`);
    this.number += 1;
  }
}
