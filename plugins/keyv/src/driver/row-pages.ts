import { afterRow, type Span } from '../key-encoding.js';
import type { KvDriver, Row } from './kv-driver.js';

const PAGE_ROWS = 200;

/**
 * The rows of a span, a page at a time, by key and never by position: removing rows meanwhile skips none.
 * @param first rows of the first page; the next ones are larger, up to 200
 */
export async function* rowPages(driver: KvDriver, { from, to }: Span, first: number = PAGE_ROWS): AsyncGenerator<readonly Row[]> {
  let limit = first;
  for (let start = from; ; limit = Math.max(limit, Math.min(limit * 4, PAGE_ROWS))) {
    const rows = await driver.range({ from: start, to, limit });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < limit) return;
    start = afterRow(last[0]);
  }
}
