import { type AdapterTarget, requiredRunner, type RunningAdapter, startLoneAdapter } from '@treadle/testing';
import pg from 'pg';
import { Connections } from '../store/connections.js';
import { migrate } from '../store/migrations.js';
import { MIGRATIONS } from '../store/schema.js';
import { POSTGRES_DEFAULTS, type PostgresConfig } from '../store/store.config.js';
import { missingServer, query } from './server.fixture.js';
import { serverUrl } from './shared-server.fixture.js';

const PLUGIN = new URL('../index.ts', import.meta.url).href;

type Target = Pick<AdapterTarget<unknown, unknown, unknown>, 'env' | 'storeTime' | 'plugin'>;

/** The store's time is that of a table where that has one, else that of the machine. */
const KIT_TIME = `
  CREATE TABLE kit_time (now bigint);
  CREATE OR REPLACE FUNCTION store_time() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT coalesce((SELECT now FROM kit_time), floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) $$;`;

let schemas = 0;
const movers = new Map<string, pg.Client>();

/** A schema of its own on the server of the tests. */
export async function freshConfig(extra = ''): Promise<{ readonly config: PostgresConfig; cleanup(): Promise<void> }> {
  const url = await serverUrl();
  schemas += 1;
  const schema = `kit_${process.pid}_${schemas}`;
  const config = { ...POSTGRES_DEFAULTS, url, schema };
  const connections = new Connections({ ...config, pool_size: 1 }, () => undefined);
  await migrate(connections, schema, MIGRATIONS);
  if (extra !== '') await connections.rows(extra);
  await connections.close();
  return { config, cleanup: async () => void await query(url, `DROP SCHEMA ${schema} CASCADE`) };
}

/** Where a kit finds adapters of this package. */
export const KIT_TARGET: Target = {
  plugin: PLUGIN,
  env: async () => {
    const { config, cleanup } = await freshConfig(KIT_TIME);
    const mover = new pg.Client({ connectionString: config.url });
    mover.on('error', () => undefined);
    await mover.connect();
    movers.set(config.schema, mover);
    return {
      config,
      cleanup: async () => {
        movers.delete(config.schema);
        await mover.end();
        await cleanup();
      },
    };
  },
  storeTime: async (config, now) => {
    const { schema } = config as PostgresConfig;
    await movers.get(schema)?.query(`TRUNCATE ${schema}.kit_time; ${now === undefined ? '' : `INSERT INTO ${schema}.kit_time VALUES (${Math.round(now)})`}`);
  },
};

/** An adapter of this package in an engine of its own, on the machine's time. @throws what the start throws */
export function startEngine<A>(slot: 'queue' | 'state' | 'stream' | 'cron', config: PostgresConfig): Promise<RunningAdapter<A>> {
  return startLoneAdapter<A>({ plugin: PLUGIN, classId: `modules::${slot}::adapters::Postgres`, slot, config });
}

/** Registers tests that need a server; without one they are skipped, and fail where CI runs them. */
export const withServer = requiredRunner(missingServer);
