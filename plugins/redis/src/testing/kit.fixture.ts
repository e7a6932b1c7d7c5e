import './kit-time.fixture.js';
import { type AdapterTarget, requiredRunner, type RunningAdapter, startLoneAdapter } from '@treadle/testing';
import { REDIS_DEFAULTS, type RedisConfig } from '../store/store.config.js';
import { ask, missingServer } from './server.fixture.js';
import { sharedServer } from './shared-server.fixture.js';

const PLUGIN = new URL('./kit-plugin.fixture.ts', import.meta.url).href;

type Target = Pick<AdapterTarget<unknown, unknown, unknown>, 'env' | 'storeTime' | 'plugin'>;

let prefixes = 0;

/** A prefix of its own on the server of the tests. */
export async function freshConfig(): Promise<{ readonly config: RedisConfig; cleanup(): Promise<void> }> {
  const server = await sharedServer();
  prefixes += 1;
  const prefix = `kit_${process.pid}_${prefixes}`;
  const config = { ...REDIS_DEFAULTS, port: server.port, prefix };
  const cleanup = async (): Promise<void> => {
    const keys = await ask(server, 'KEYS', `{${prefix}}:*`) as string[];
    if (keys.length > 0) await ask(server, 'UNLINK', ...keys);
  };
  return { config, cleanup };
}

/** Where a kit finds adapters of this package. */
export const KIT_TARGET: Target = {
  plugin: PLUGIN,
  env: freshConfig,
  storeTime: async (config, now) => {
    const server = await sharedServer();
    const key = `{${(config as RedisConfig).prefix}}:kit_time`;
    await (now === undefined ? ask(server, 'DEL', key) : ask(server, 'SET', key, Math.round(now)));
  },
};

/** An adapter of this package in an engine of its own, on the machine's time. @throws what the start throws */
export function startEngine<A>(slot: 'queue' | 'state' | 'stream' | 'cron', config: RedisConfig): Promise<RunningAdapter<A>> {
  return startLoneAdapter<A>({ plugin: PLUGIN, classId: `modules::${slot}::adapters::Redis`, slot, config });
}

/** Registers tests that need a server; without one they are skipped, and fail where CI runs them. */
export const withServer = requiredRunner(missingServer);
