import { type TransferMark, type TransferSide, treadleError } from '@treadle/api';
import type { KvDriver, Row } from '../driver/kv-driver.js';
import { spanOf } from '../key-encoding.js';

/** First letters of the rows that say how far copies have come. */
const AREA = 'cp';

/** The row of a mark. */
export function markRow(slot: string, side: TransferSide, mark: TransferMark): Row {
  return [`${AREA}${side}.${slot}`, mark];
}

export async function readMark(driver: KvDriver, slot: string, side: TransferSide): Promise<TransferMark | undefined> {
  return await driver.get(`${AREA}${side}.${slot}`) as TransferMark | undefined;
}

/**
 * Lets an engine have the store; a copy of it that was broken off cannot be gone on with afterwards.
 * @throws {COPY_UNFINISHED} when it is half of a copy
 */
export async function beginLife(driver: KvDriver, file: string): Promise<void> {
  const marks = await driver.range({ ...spanOf(AREA), limit: 100 });
  if (marks.some(([key, mark]) => key.startsWith(`${AREA}to.`) && !(mark as TransferMark).complete)) throw treadleError('COPY_UNFINISHED', { store: `database "${file}"` });
  const former = marks.filter(([key]) => key.startsWith(`${AREA}from.`)).map(([key]) => key);
  if (former.length > 0) await driver.remove(former);
}
