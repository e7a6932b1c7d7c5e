import { setTimeout as sleep } from 'node:timers/promises';
import { type TransferContext, TreadleError, treadleError } from '@treadle/api';
import type pg from 'pg';
import { Connections, type Queries } from '../store/connections.js';
import { migrate } from '../store/migrations.js';
import { MIGRATIONS } from '../store/schema.js';
import { checkServer } from '../store/server-checks.js';
import { databaseName, type PostgresConfig } from '../store/store.config.js';
import { COPY_LOCK } from './copy-schema.js';

/** Sessions of engines hold it in common, a copy has it alone; the server ends it with the session. */
const TAKE = `SELECT pg_try_advisory_lock(${COPY_LOCK}) AS taken`;
const GIVE_BACK = `SELECT pg_advisory_unlock(${COPY_LOCK})`;
const USERS = 'SELECT engine, store_time() - seen_at AS ago FROM members ORDER BY member';
/** How long an engine that is not connected may be on its way back; milliseconds. */
const AWAY_MS = 6_000;
const LOOK_MS = 250;
/** Engines that were killed: what they had claimed is free, and their place too. */
const BURY = 'SELECT member_end(member, true) FROM members';

/** A schema of a database that no engine uses, for as long as it is copied. */
export class CopiedDatabase {
  private lost = false;

  private constructor(readonly name: string, readonly queries: Connections, private readonly lock: pg.Client) {
    lock.on('error', () => { this.lost = true; });
    lock.on('end', () => { this.lost = true; });
  }

  /** The schema that a config names; the first adapter that asks opens it. @throws as `open` */
  static shared(context: TransferContext, config: PostgresConfig): Promise<CopiedDatabase> {
    return context.shared(`${databaseName(config)} ${config.schema}`, () => CopiedDatabase.open(config), (opened) => opened.close());
  }

  /** @throws {STORE_IN_USE} when engines use it, or another copy; {SERVICE_UNAVAILABLE}; {STORE_NEWER} */
  private static async open(config: PostgresConfig): Promise<CopiedDatabase> {
    const queries = new Connections(config, () => undefined);
    const client = queries.client();
    try {
      await checkServer(client, databaseName(config), false);
      await migrate(queries, config.schema, MIGRATIONS);
      const [store] = await queries.rows<{ epoch: string }>('SELECT epoch FROM stream_store');
      const name = `${databaseName(config)}, schema ${config.schema} (${store?.epoch.slice(0, 12) ?? ''})`;
      await takeAlone(client, name);
      return new CopiedDatabase(name, queries, client);
    } catch (error) {
      await client.end().catch(() => undefined);
      await queries.close();
      throw error;
    }
  }

  /** Runs `work` in a transaction, while nobody else uses the database. @throws {STORE_FAILED} when that cannot be known any more */
  async write(work: (queries: Queries) => Promise<void>): Promise<void> {
    if (this.lost) {
      throw new TreadleError('STORE_FAILED', `the connection to ${this.name} that keeps engines out was lost`, 'run the copy again when the server is there: it goes on where it was');
    }
    await this.queries.transaction(work);
  }

  private async close(): Promise<void> {
    await this.lock.end().catch(() => undefined);
    await this.queries.close();
  }
}

/** Waits for engines whose connections an outage took: those that stay away were killed. @throws {STORE_IN_USE} */
async function takeAlone(client: pg.Client, store: string): Promise<void> {
  for (const until = performance.now() + AWAY_MS; ; await sleep(LOOK_MS)) {
    const isLast = performance.now() > until;
    const { rows: [lock] } = await client.query<{ taken: boolean }>(TAKE);
    if (lock?.taken && isLast) await client.query(BURY);
    const { rows: users } = await client.query<{ engine: string; ago: number }>(USERS);
    if (lock?.taken && users.length === 0) return;
    if (!lock?.taken || isLast) throw inUse(store, users);
    await client.query(GIVE_BACK);
  }
}

function inUse(store: string, users: readonly { readonly engine: string; readonly ago: number }[]): TreadleError {
  const engines = users.map(({ engine, ago }) => `the engine ${engine}, seen ${(Number(ago) / 1000).toFixed(1)} s ago`);
  return treadleError('STORE_IN_USE', { store, users: engines.length > 0 ? engines.join('; ') : 'another copy, or an engine that is just starting or ending' });
}
