import { randomBytes } from 'node:crypto';
import type { KvDriver, Row } from './driver/kv-driver.js';
import { rowPages } from './driver/row-pages.js';
import { afterRow, spanOf } from './key-encoding.js';
import { padded } from './state-rows.js';

/**
 * Changes that nobody has settled yet, as rows that are written together with what changed. Their ids sort in the order
 * in which they were made, also across restarts, and none is used twice, even when the machine's clock was set back
 * while the engine was stopped.
 */
export class ChangeLog<Change extends { readonly id: string }> {
  private last = 0;

  private constructor(private readonly driver: KvDriver, private readonly area: string) {}

  /** Goes on behind the changes of a former run. `area`: how the keys of its rows begin. */
  static async open<Change extends { readonly id: string }>(driver: KvDriver, area: string): Promise<ChangeLog<Change>> {
    const log = new ChangeLog<Change>(driver, area);
    for await (const rows of rowPages(driver, spanOf(area))) {
      const id = rows.at(-1)?.[0].slice(area.length) ?? '';
      log.last = Math.max(log.last, Number(id.split('-')[0]));
    }
    return log;
  }

  /** The row of a change that happens now. */
  row(change: Omit<Change, 'id'>, now: number): Row {
    this.last = Math.max(this.last + 1, now * 1000);
    const id = `${padded(this.last)}-${randomBytes(4).toString('hex')}`;
    return [`${this.area}${id}`, { id, ...change }];
  }

  /** The oldest ones, in their order; with `after` those behind it when it is pending. */
  async pending(limit: number, after?: string): Promise<readonly Change[]> {
    const span = spanOf(this.area);
    const row = `${this.area}${after}`;
    const known = after !== undefined && await this.driver.get(row) !== undefined;
    const rows = await this.driver.range({ ...span, ...(known ? { from: afterRow(row) } : {}), limit });
    return rows.map(([, change]) => change as Change);
  }

  settle(ids: readonly string[]): Promise<void> {
    return this.driver.remove(ids.map((id) => `${this.area}${id}`));
  }
}
