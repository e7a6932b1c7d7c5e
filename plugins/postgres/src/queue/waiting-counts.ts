import type { Clock } from '@treadle/api';
import type { Queries } from '../store/connections.js';

/** With other engines on the store a count is good for so long; milliseconds. */
const FRESH_MS = 1_000;
/** Before a message is refused, what is older is counted again. */
const REFUSE_MS = 100;

const COUNT = `SELECT s AS sub, (SELECT count(*) FROM (SELECT 1 FROM queue_deliveries d WHERE d.sub = s LIMIT $2) c) AS count FROM unnest($1::integer[]) AS s`;

interface Count {
  count: number;
  readonly at: number;
}

/**
 * How many deliveries subscriptions have: counted once and kept by what this engine adds and settles. What others do at the
 * same time is seen at the next count.
 */
export class WaitingCounts {
  private readonly counts = new Map<number, Count>();

  constructor(private readonly queries: Queries, private readonly clock: Clock, private readonly alone: () => boolean) {}

  /** Counts what is not known, as far as `limit` needs it. */
  async learn(subs: Iterable<number>, limit: number): Promise<void> {
    await this.count([...subs].filter((sub) => !this.isFresh(sub, FRESH_MS)), limit);
  }

  /** Counts anew before somebody is refused by an old count. True when one was. */
  async doubt(sub: number, limit: number): Promise<boolean> {
    const { at = -Infinity } = this.counts.get(sub) ?? {};
    if (this.clock.monotonic() - at < REFUSE_MS) return false;
    await this.count([sub], limit);
    return true;
  }

  of(sub: number): number {
    return this.counts.get(sub)?.count ?? 0;
  }

  add(sub: number, change: number): void {
    const known = this.counts.get(sub);
    if (known) known.count += change;
  }

  forget(subs: Iterable<number> = [...this.counts.keys()]): void {
    for (const sub of subs) this.counts.delete(sub);
  }

  private isFresh(sub: number, ms: number): boolean {
    const known = this.counts.get(sub);
    return known !== undefined && (this.alone() || this.clock.monotonic() - known.at < ms);
  }

  /** Twice the limit is as much as one needs to know; what is settled then is seen at the next count. */
  private async count(subs: readonly number[], limit: number): Promise<void> {
    if (subs.length === 0) return;
    const most = limit * 2 + 1_000;
    const rows = await this.queries.rows<{ sub: number; count: number }>(COUNT, [subs, most], 'queue.count');
    const at = this.clock.monotonic();
    for (const { sub, count } of rows) this.counts.set(sub, { count, at: count === most ? -Infinity : at });
  }
}
