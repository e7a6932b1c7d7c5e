import { resolve } from 'node:path';
import type { EngineInfo, ModuleContext } from '@treadle/api';
import type { KvStoreConfig } from '../kv-store.config.js';
import { FileDriver } from './file-driver.js';
import type { KvDriver } from './kv-driver.js';
import { MemoryDriver } from './memory-driver.js';

/**
 * The store that a config names; a file is opened by the first adapter of the engine that asks for it, and closed by the
 * engine after the last one.
 * @param memoryNotice logged when the data ends with the engine
 * @throws {TreadleError} STORE_LOCKED, STORE_DAMAGED, FILE_NOT_WRITABLE, SERVICE_UNAVAILABLE
 */
export async function openDriver(
  context: ModuleContext, { dataDir }: Pick<EngineInfo, 'dataDir'>, config: KvStoreConfig, memoryNotice: string,
): Promise<KvDriver> {
  if (config.store_method === 'in_memory') {
    context.log.warn(memoryNotice);
    return new MemoryDriver();
  }
  const file = resolve(dataDir, config.file_path);
  return context.shared<KvDriver>(`kv_store ${file}`, async () => (await FileDriver.open(file)).watch(context.clock), (driver) => driver.close());
}
