import type { EngineInfo, ModuleContext } from '@treadle/api';
import { beginLife } from '../transfer/copied-store.js';
import { openStore } from './open-store.js';
import type { SqliteStore } from './sqlite-store.js';
import { storeRoutes } from './store-admin.js';
import { type StoreConfig, storeName } from './store.config.js';

/** An adapter's use of a store. */
export interface StoreUse {
  readonly store: SqliteStore;
  /** Ends the use; the engine closes the store after its last user has stopped. */
  leave(): void;
}

/**
 * The store that a config names, opened by the first adapter of the engine that asks for it; adds the store's admin routes.
 * @throws {CONFIG_CONFLICT} when another adapter has the file open with another durability; {COPY_UNFINISHED} when it is half of a copy; and as `openStore`
 */
export async function useStore(context: ModuleContext, { dataDir }: Pick<EngineInfo, 'dataDir'>, config: StoreConfig): Promise<StoreUse> {
  const { clock, turn, log } = context;
  const { durability } = config;
  const file = storeName(config, dataDir);
  const store = await context.shared(file, async () => beginLife(await openStore({ file, durability, clock, turn, log })), (opened) => opened.close());
  const leave = store.join(context, durability);
  storeRoutes(context, { store });
  return { store, leave };
}
