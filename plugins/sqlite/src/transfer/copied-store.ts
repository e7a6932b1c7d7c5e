import { type EngineInfo, type StoreTransfer, type TransferContext, treadleError } from '@treadle/api';
import { openStore } from '../store/open-store.js';
import type { SqliteStore } from '../store/sqlite-store.js';
import { type StoreConfig, storeName } from '../store/store.config.js';
import { SqliteTransfer } from './sqlite-transfer.js';
import type { TransferSlot } from './transfer-table.js';

/** What a slot keeps in the store that a config names, opened to be copied. @throws as `openStore` */
export async function openTransfer(
  context: TransferContext, { dataDir }: Pick<EngineInfo, 'dataDir'>, config: StoreConfig, slot: TransferSlot,
): Promise<StoreTransfer> {
  const { clock, turn, log } = context;
  const file = storeName(config, dataDir);
  const store = await context.shared(file, () => openStore({ file, durability: config.durability, clock, turn, log }), (opened) => opened.close());
  return new SqliteTransfer(store, slot);
}

/**
 * Lets an engine have the store; a copy of it that was broken off cannot be gone on with afterwards.
 * @throws {COPY_UNFINISHED} when it is half of a copy
 */
export async function beginLife(store: SqliteStore): Promise<SqliteStore> {
  try {
    const marks = store.reads.prepare("SELECT side, complete FROM store_copies WHERE side = 'from' OR complete = 0").all();
    if (marks.some(({ side }) => side === 'to')) throw treadleError('COPY_UNFINISHED', { store: `database "${store.file}"` });
    if (marks.length > 0) await store.apply({ operation: 'copy.end', rows: [] });
    return store;
  } catch (error) {
    // Whoever tries again opens it again.
    await store.close();
    throw error;
  }
}
