import { OperationError, TreadleError } from '@treadle/api';
import pg from 'pg';
import { addressOf, databaseName, type PostgresConfig } from './store.config.js';
import { isRepeatable, operationError } from './faults.js';

const CONNECT_MS = 3_000;
/** A connection that is silent for so long is probed. One that waits for an answer may be lost by itself, while the others work. */
const PROBE_MS = 3_000;
/** How often a transaction is begun again that another one was in the way of. */
const ATTEMPTS = 5;
const INT8 = 20;
/**
 * Plans are made while tables are empty, or are taken for empty, and kept; these would then read whole tables.
 * A scan of an index also marks the entries that are dead, which one by bitmap meets again each time.
 */
const PLANS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((one) => `-c enable_${one}=off`).concat('-c jit=off').join(' ');
/**
 * An engine that hangs, or whose host is gone, keeps nobody from the locks of its open transactions for longer than it counts as alive. One in the middle
 * of a transaction is told by its silence, any other by probes.
 */
const ABANDONED = ['idle_in_transaction_session_timeout=3000', 'tcp_keepalives_idle=3', 'tcp_keepalives_interval=1', 'tcp_keepalives_count=3']
  .map((setting) => `-c ${setting}`).join(' ');

export type Row = Record<string, unknown>;

/** Something that answers statements. */
export interface Queries {
  /** `name`: the server keeps the statement's plan under it, for each connection. */
  rows<R extends Row = Row>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
}

/** The connections of one engine to one database. */
export class Connections implements Queries {
  readonly database: string;
  private pool: pg.Pool;
  private open = true;
  /** Why nothing is asked now. */
  private away: string | undefined;

  constructor(private readonly config: PostgresConfig, private readonly failed: (error: unknown) => void) {
    this.database = databaseName(config);
    this.pool = this.newPool();
  }

  /** @throws an `OperationError`; with `StorageFull` nothing was written, otherwise it is not known */
  async rows<R extends Row = Row>(text: string, values: readonly unknown[] = [], name?: string): Promise<R[]> {
    return this.guarded(async () => (await this.pool.query<R>({ text, values: [...values], ...name !== undefined && { name } })).rows);
  }

  /** Runs `work` in a transaction; again when another transaction was in its way. @throws as `rows`, and what `work` throws */
  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.guarded(() => this.once(work));
      } catch (error) {
        if (attempt === ATTEMPTS || !isRepeatable((error as Error).cause)) throw error;
      }
    }
  }

  /** A connection of its own, which nobody else uses; not connected yet. Its loss is told to who waits for an answer, and by `end`. */
  client(): pg.Client {
    const client = new pg.Client(this.options());
    client.on('error', ignore);
    return client;
  }

  /** The server is away: breaks all connections, so that what is under way fails now, as does what is asked until `resume`. Each call would else wait for a connection. */
  suspend(why: string): void {
    if (this.away !== undefined) return;
    const old = this.pool;
    this.away = why;
    if (this.open) this.pool = this.newPool();
    breakPool(old);
  }

  /** Nothing is sent to the server. */
  get suspended(): boolean {
    return this.away !== undefined;
  }

  /** The server answers. */
  resume(): void {
    this.away = undefined;
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.open = false;
    await this.pool.end().catch(() => undefined);
  }

  private async once<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work({
        rows: async <R extends Row>(text: string, values: readonly unknown[] = [], name?: string) => (
          (await client.query<R>({ text, values: [...values], ...name !== undefined && { name } })).rows),
      });
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((reason: Error) => { broken = reason; });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private async guarded<T>(act: () => Promise<T>): Promise<T> {
    if (this.away !== undefined) throw new OperationError('StorageUnavailable', this.away);
    try {
      return await act();
    } catch (error) {
      this.failed(error);
      throw error instanceof TreadleError ? error : operationError(error, this.database);
    }
  }

  private newPool(): pg.Pool {
    const pool = new pg.Pool({ ...this.options(), max: this.config.pool_size, idleTimeoutMillis: 0 });
    pool.on('error', (error) => this.failed(error));
    pool.on('connect', (client) => client.on('error', ignore));
    return pool;
  }

  private options(): pg.ClientConfig {
    const { config } = this;
    const { schema, user, password, tls, url } = config;
    const { host, port, database } = addressOf(config);
    return {
      ...url === undefined ? { host, port, database, user, ...password !== undefined && { password } } : { connectionString: url },
      ...tls !== 'off' && { ssl: { rejectUnauthorized: tls === 'verify' } },
      application_name: 'treadle', connectionTimeoutMillis: CONNECT_MS, keepAlive: true, keepAliveInitialDelayMillis: PROBE_MS, options: `-c search_path=${schema} ${PLANS} ${ABANDONED}`, types: NUMBERS,
    };
  }
}

/**
 * For the `error` of a connection that was lost. A pool listens while a connection is idle only; between two statements of a transaction nobody
 * would, and the process would end. What is asked next on it fails.
 */
const ignore = (): void => undefined;

/** Counts, ids and moments fit a number. */
const NUMBERS: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => (
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'))) as pg.CustomTypesConfig['getTypeParser'],
};

interface OpenPool { readonly _clients?: readonly { readonly connection?: { readonly stream?: { destroy(error?: Error): void } } }[] }

/** pg has no way to end a pool whose connections do not answer but by their sockets. */
function breakPool(pool: pg.Pool): void {
  const { _clients: clients = [] } = pool as unknown as OpenPool;
  for (const { connection } of clients) connection?.stream?.destroy(new Error('Connection terminated: the server did not answer'));
  pool.end().catch(() => undefined);
}
