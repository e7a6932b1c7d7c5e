import type { EngineInfo, ModuleContext } from '@treadle/api';
import { NatsStore } from './nats-store.js';
import { serverName, type NatsConfig } from './store.config.js';

/** An adapter's use of a store. */
export interface StoreUse {
  readonly store: NatsStore;
  /** Ends the use; the engine closes the store after its last user has stopped. */
  leave(): void;
}

/** The store that a config names, opened by the first adapter of the engine that asks for it. @throws as `NatsStore.open` */
export async function useStore(context: ModuleContext, engine: EngineInfo, config: NatsConfig): Promise<StoreUse> {
  const { clock, log } = context;
  const name = `${serverName(config)} ${config.name}`;
  const store = await context.shared(name, () => NatsStore.open({ config, clock, log, engine: engine.engineId }), (opened) => opened.close());
  return { store, leave: store.use(context) };
}
