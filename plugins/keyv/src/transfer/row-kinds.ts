import type { TransferPage, TransferPageOptions, TransferRow } from '@treadle/api';
import type { KvDriver } from '../driver/kv-driver.js';
import { rowPages } from '../driver/row-pages.js';
import { afterRow, spanOf } from '../key-encoding.js';

/** How many rows lie in an area. */
export async function countArea(driver: KvDriver, area: string): Promise<number> {
  let count = 0;
  for await (const rows of rowPages(driver, spanOf(area))) count += rows.length;
  return count;
}

/** A page of an area in the order of its keys. `read` makes the row that travels; `index` counts from 0 over all pages. */
export async function pageOfArea(
  driver: KvDriver, area: string, { limit, after }: TransferPageOptions, read: (key: string, value: unknown, index: number) => TransferRow,
): Promise<TransferPage> {
  const place = after === undefined ? undefined : JSON.parse(after) as { readonly key: string; readonly index: number };
  const span = spanOf(area);
  const found = await driver.range({ ...span, ...place && { from: afterRow(place.key) }, limit });
  const first = place ? place.index + 1 : 0;
  const rows = found.map(([key, value], index) => read(key, value, first + index));
  const last = found.at(-1);
  return last === undefined ? { rows } : { rows, cursor: JSON.stringify({ key: last[0], index: first + found.length - 1 }) };
}

/** Without the members that have no value. */
export function defined<T extends object>(row: T): { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}
