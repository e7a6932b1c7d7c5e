import type { ModuleContext } from '@treadle/api';
import { RedisStore } from './redis-store.js';
import { databaseName, type RedisConfig } from './store.config.js';

/** The store that a config names, opened by the first adapter of the engine that asks for it and closed after the last one. @throws as `RedisStore.open` */
export function useStore(context: ModuleContext, config: RedisConfig): Promise<RedisStore> {
  const { clock, log } = context;
  const name = `${databaseName(config)} ${config.prefix}`;
  return context.shared(name, () => RedisStore.open({ config, clock, log }), (opened) => opened.close());
}
