import type { ServerProcess } from '@treadle/testing';
import { startPostgres as startPostgresServer } from '../../../../plugins/postgres/src/testing/server.fixture.js';
import { startRedis as startRedisServer } from '../../../../plugins/redis/src/testing/server.fixture.js';

/** A server that a peer needs, started for this run in a folder of its own. */
export interface Service {
  /** Port, or connection string. */
  readonly address: string;
  stop(): Promise<void>;
}

/** A Redis of one's own with an append-only file. @throws Error when there is no redis-server */
export async function startRedis(appendfsync: 'everysec' | 'always'): Promise<Service> {
  const server = await startRedisServer({ appendonly: 'yes', appendfsync, 'maxmemory-policy': 'noeviction' });
  return serviceOf(server, String(server.port));
}

/** A PostgreSQL cluster of one's own, as durable as it comes. @throws Error when it is not installed */
export async function startPostgres(): Promise<Service> {
  const server = await startPostgresServer(['fsync=on', 'synchronous_commit=on']);
  return serviceOf(server, server.url);
}

function serviceOf(server: ServerProcess, address: string): Service {
  return { address, stop: () => server.stop() };
}
