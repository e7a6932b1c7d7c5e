import type { EngineInfo, ModuleContext } from '@treadle/api';
import { PgStore } from './pg-store.js';
import { databaseName, type PostgresConfig } from './store.config.js';

/** The store that a config names, opened by the first adapter of the engine that asks for it and closed after the last one. @throws as `PgStore.open` */
export function useStore(context: ModuleContext, engine: EngineInfo, config: PostgresConfig): Promise<PgStore> {
  const { clock, log } = context;
  const name = `${databaseName(config)} ${config.schema}`;
  return context.shared(name, () => PgStore.open({ config, clock, log, engine: engine.engineId }), (opened) => opened.close());
}
