import type { ServerProcess } from '@treadle/testing';
import { missingServer as missingNats, startNats } from '../../plugins/nats/src/testing/server.fixture.js';
import { missingPrograms as missingPostgres, startPostgres } from '../../plugins/postgres/src/testing/server.fixture.js';
import { missingServer as missingRabbit, startRabbit } from '../../plugins/rabbitmq/src/testing/server.fixture.js';
import { DURABLE, missingServer as missingRedis, startRedis } from '../../plugins/redis/src/testing/server.fixture.js';

/** Slots that a store of several engines may fill. */
export const SLOTS = ['queue', 'state', 'stream', 'cron'] as const;
export type Slot = (typeof SLOTS)[number];

/** An adapter as YAML names it. */
export interface NamedAdapter {
  readonly class: string;
  readonly config: object;
}

/** Running servers, and how a configuration puts an engine's four slots there. */
export interface SharedBackend {
  readonly plugins: readonly string[];
  readonly adapters: Readonly<Record<Slot, NamedAdapter>>;
  /** Steps may be atomic: a commit of the queue has state and streams. */
  readonly oneStore: boolean;
  stop(): Promise<void>;
}

interface BackendKind {
  /** Why this machine has it not. */
  missing(): string | undefined;
  start(): Promise<SharedBackend>;
}

/** What several engines of one application can share. */
export const BACKENDS = {
  postgres: { missing: missingPostgres, start: async () => whole('Postgres', await startPostgres()) },
  redis: { missing: missingRedis, start: async () => whole('Redis', await startRedis(DURABLE)) },
  nats: { missing: missingNats, start: async () => ({ ...whole('Nats', await startNats()), oneStore: false }) },
  rabbitmq: { missing: () => missingRabbit() ?? missingPostgres(), start: async () => queueOnRabbit(await startPostgres(), await startRabbit()) },
} satisfies Readonly<Record<string, BackendKind>>;
export type BackendName = keyof typeof BACKENDS;
export const BACKEND_NAMES = Object.keys(BACKENDS) as readonly BackendName[];

function whole(name: string, server: ServerProcess): SharedBackend {
  const adapters = Object.fromEntries(SLOTS.map((slot) => [slot, adapterOf(slot, name, server)])) as Record<Slot, NamedAdapter>;
  return { plugins: [`@treadle/${name.toLowerCase()}`], adapters, oneStore: true, stop: () => server.stop() };
}

/** RabbitMQ has the queue, beside PostgreSQL, which has everything else. */
function queueOnRabbit(database: ServerProcess, rabbit: ServerProcess): SharedBackend {
  const { plugins, adapters, stop } = whole('Postgres', database);
  const { class: name, config } = adapterOf('queue', 'RabbitMq', rabbit);
  return {
    plugins: [...plugins, '@treadle/rabbitmq'], oneStore: false, adapters: { ...adapters, queue: { class: name, config: { ...config, store: adapters.queue } } },
    stop: async () => void await Promise.all([stop(), rabbit.stop()]),
  };
}

function adapterOf(slot: Slot, name: string, { url }: ServerProcess): NamedAdapter {
  return { class: `modules::${slot}::adapters::${name}`, config: { url } };
}
