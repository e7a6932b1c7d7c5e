import type { ModuleContext } from '@treadle/api';
import { RedisStore } from './redis-store.js';
import { databaseName, type RedisConfig } from './store.config.js';

/** An adapter's use of a store. */
export interface StoreUse {
  readonly store: RedisStore;
  /** Ends the use; the engine closes the store after its last user has stopped. */
  leave(): void;
}

/** The store that a config names, opened by the first adapter of the engine that asks for it. @throws as `RedisStore.open` */
export async function useStore(context: ModuleContext, config: RedisConfig): Promise<StoreUse> {
  const { clock, log } = context;
  const name = `${databaseName(config)} ${config.prefix}`;
  const store = await context.shared(name, () => RedisStore.open({ config, clock, log }), (opened) => opened.close());
  return { store, leave: store.use(context) };
}
