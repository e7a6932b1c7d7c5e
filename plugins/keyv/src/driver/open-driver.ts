import { resolve } from 'node:path';
import { type EngineInfo, type ModuleContext, type StoreTransfer, type TransferContext, treadleError } from '@treadle/api';
import { beginLife } from '../transfer/copy-marks.js';
import { type KvSlot, KvTransfer } from '../transfer/kv-transfer.js';
import type { KvStoreConfig } from '../kv-store.config.js';
import { FileDriver } from './file-driver.js';
import type { KvDriver } from './kv-driver.js';
import { MemoryDriver } from './memory-driver.js';
import { loadSqlStore } from './sql-store.js';

/**
 * The store that a config names; a file is opened by the first adapter of the engine that asks for it, and closed by the
 * engine after the last one.
 * @param memoryNotice logged when the data ends with the engine
 * @throws {TreadleError} STORE_LOCKED, STORE_DAMAGED, FILE_NOT_WRITABLE, SERVICE_UNAVAILABLE, COPY_UNFINISHED
 */
export async function openDriver(
  context: ModuleContext, { dataDir }: Pick<EngineInfo, 'dataDir'>, config: KvStoreConfig, memoryNotice: string,
): Promise<KvDriver> {
  if (config.store_method === 'in_memory') {
    context.log.warn(memoryNotice);
    return new MemoryDriver();
  }
  const file = resolve(dataDir, config.file_path);
  return context.shared<KvDriver>(`kv_store ${file}`, async () => (await forEngine(file, context)).watch(context.clock), (driver) => driver.close());
}

/** What a slot keeps in the file that a config names, opened to be copied. @throws as `openDriver` */
export async function openTransfer(
  context: TransferContext, { dataDir }: Pick<EngineInfo, 'dataDir'>, config: KvStoreConfig, slot: KvSlot,
): Promise<StoreTransfer> {
  const file = resolve(dataDir, config.file_path);
  if (config.store_method === 'in_memory') {
    throw treadleError('COPY_NOT_POSSIBLE', { what: 'a KvStore in memory', reason: 'its data ends with the engine', hint: 'set store_method: file_based' });
  }
  const driver = await context.shared<KvDriver>(`kv_store ${file}`, () => FileDriver.open(file, loadSqlStore, context), (opened) => opened.close());
  return new KvTransfer(driver, file, slot);
}

async function forEngine(file: string, context: ModuleContext): Promise<FileDriver> {
  const driver = await FileDriver.open(file, loadSqlStore, context);
  try {
    await beginLife(driver, file);
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}
