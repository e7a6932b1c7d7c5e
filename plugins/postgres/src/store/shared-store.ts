import type { EngineInfo, ModuleContext } from '@treadle/api';
import { PgStore } from './pg-store.js';
import { databaseName, type PostgresConfig } from './store.config.js';

/** An adapter's use of a store. */
export interface StoreUse {
  readonly store: PgStore;
  /** Ends the use; the engine closes the store after its last user has stopped. */
  leave(): void;
}

/** The store that a config names, opened by the first adapter of the engine that asks for it. @throws as `PgStore.open` */
export async function useStore(context: ModuleContext, engine: EngineInfo, config: PostgresConfig): Promise<StoreUse> {
  const { clock, log } = context;
  const name = `${databaseName(config)} ${config.schema}`;
  const store = await context.shared(name, () => PgStore.open({ config, clock, log, engine: engine.engineId }), (opened) => opened.close());
  return { store, leave: store.use(context) };
}
