import type { QueueAdapter } from '@treadle/api';
import type { PostgresConfig } from '@treadle/postgres';
import { type AdapterTarget, requiredRunner, type RunningAdapter, type ServerProcess, startLoneAdapter } from '@treadle/testing';
import { freshConfig as freshStore, KIT_TARGET as STORE_TARGET } from '../../../postgres/src/testing/kit.fixture.js';
import { missingServer as missingStore } from '../../../postgres/src/testing/server.fixture.js';
import { RABBITMQ_DEFAULTS, type RabbitMqConfig } from '../server/rabbit.config.js';
import { missingServer, removeQueues } from './server.fixture.js';
import { sharedServer } from './shared-server.fixture.js';

const PLUGIN = new URL('./kit-plugin.fixture.ts', import.meta.url).href;

/** A config as YAML has it. */
export type KitConfig = RabbitMqConfig & { readonly store: { readonly class: string; readonly config: PostgresConfig } };

let names = 0;

/** Queues of its own on a server, and a fresh second store. */
export async function freshConfig(server: ServerProcess, store = freshStore()): Promise<{ readonly config: KitConfig; cleanup(): Promise<void> }> {
  const fresh = await store;
  names += 1;
  const name = `kit_${process.pid}_${names}`;
  const config = { ...RABBITMQ_DEFAULTS, port: server.port, name, prefetch: 5_000, store: { class: 'modules::queue::adapters::Postgres', config: fresh.config } };
  return {
    config,
    cleanup: async () => {
      await removeQueues(server, `treadle.${name}.`);
      await fresh.cleanup();
    },
  };
}

/** Where the kit finds the adapter, with PostgreSQL as its second store. */
export const KIT_TARGET: Pick<AdapterTarget<unknown, unknown, unknown>, 'env' | 'storeTime' | 'plugin'> = {
  plugin: PLUGIN,
  env: async (variant) => freshConfig(await sharedServer(), STORE_TARGET.env?.(variant) as ReturnType<typeof freshStore>),
  storeTime: async (config, now) => STORE_TARGET.storeTime?.((config as KitConfig).store.config, now),
};

/** An adapter of this package in an engine of its own, on the machine's time. @throws what the start throws */
export function startEngine(config: KitConfig): Promise<RunningAdapter<QueueAdapter>> {
  return startLoneAdapter<QueueAdapter>({ plugin: PLUGIN, classId: 'modules::queue::adapters::RabbitMq', slot: 'queue', config });
}

/** Registers tests that need both servers; without one they are skipped, and fail where CI runs them. */
export const withServer = requiredRunner(() => missingServer() ?? missingStore());
