import type { EngineInfo, ModuleContext } from '@treadle/api';
import { NatsStore } from './nats-store.js';
import { serverName, type NatsConfig } from './store.config.js';

/** The store that a config names, opened by the first adapter of the engine that asks for it and closed after the last one. @throws as `NatsStore.open` */
export function useStore(context: ModuleContext, engine: EngineInfo, config: NatsConfig): Promise<NatsStore> {
  const { clock, log } = context;
  const name = `${serverName(config)} ${config.name}`;
  return context.shared(name, () => NatsStore.open({ config, clock, log, engine: engine.engineId }), (opened) => opened.close());
}
