import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { type AdapterTarget, requiredRunner, type RunningAdapter, startLoneAdapter } from '@treadle/testing';
import { NATS_DEFAULTS, type NatsConfig } from '../store/store.config.js';
import { missingServer } from './server.fixture.js';
import { serverUrl } from './shared-server.fixture.js';
import { timeSubject } from './time-subject.fixture.js';

type Target = Pick<AdapterTarget<unknown, unknown, unknown>, 'env' | 'storeTime' | 'plugin'>;

let stores = 0;
let shared: Promise<NatsConnection> | undefined;
const times = new Map<string, number | undefined>();

/** A connection of the tests. */
function tester(): Promise<NatsConnection> {
  return shared ??= serverUrl().then((servers) => connect({ servers }));
}

/** A store of its own on the server of the tests. */
export async function freshConfig(): Promise<{ readonly config: NatsConfig; cleanup(): Promise<void> }> {
  stores += 1;
  const name = `kit_${process.pid}_${stores}`;
  const config = { ...NATS_DEFAULTS, url: await serverUrl(), name };
  return {
    config,
    cleanup: async () => {
      const { streams } = await jetstreamManager(await tester());
      for await (const stream of streams.names(`treadle.${name}.>`)) await streams.delete(stream);
    },
  };
}

/** Where a kit finds adapters of this package. */
export const KIT_TARGET: Target = {
  plugin: new URL('kit-plugin.fixture.ts', import.meta.url).href,
  env: async () => {
    const { config, cleanup } = await freshConfig();
    const subscription = (await tester()).subscribe(timeSubject(config.name), {
      callback: (_error, message) => void message.respond(String(times.get(config.name) ?? '')),
    });
    return {
      config,
      cleanup: async () => {
        subscription.unsubscribe();
        times.delete(config.name);
        await cleanup();
      },
    };
  },
  storeTime: async (config, now) => Promise.resolve(void times.set((config as NatsConfig).name, now)),
};

/** An adapter of this package in an engine of its own, on the machine's time. @throws what the start throws */
export function startEngine<A>(slot: 'queue' | 'state' | 'stream' | 'cron', config: NatsConfig): Promise<RunningAdapter<A>> {
  return startLoneAdapter<A>({ plugin: new URL('../index.ts', import.meta.url).href, classId: `modules::${slot}::adapters::Nats`, slot, config });
}

/** Registers tests that need a server; without one they are skipped, and fail where CI runs them. */
export const withServer = requiredRunner(missingServer);

after(async () => {
  await (await shared)?.close();
  shared = undefined;
});
