import { TreadleError, treadleError } from '@treadle/api';
import type { Connection } from './connection.js';
import { isAway, textOf } from './faults.js';
import { databaseName, type RedisConfig } from './store.config.js';

const OLDEST = { redis: [7, 0], valkey: [7, 2] } as const;

/** What a server promises less than one would think; texts for people. */
export type Weaknesses = readonly string[];

/** What is known of a server that can be used. */
export interface ServerFacts {
  /** Another one after each start of the server. */
  readonly run: string;
  readonly weak: Weaknesses;
}

type Facts = ReadonlyMap<string, string>;

/**
 * Looks at a server before anything is stored there.
 * @throws {SERVICE_UNAVAILABLE} when it cannot be used: not there, too old, a replica, one that forgets keys when its memory is full, or another node of a
 * cluster; with `strict` also when it may lose what it has acknowledged
 */
export async function checkServer(connection: Connection, config: RedisConfig): Promise<ServerFacts> {
  const database = databaseName(config);
  const facts = await ask(connection, database);
  checkVersion(facts, database);
  if (facts.get('role') !== 'master') {
    throw unusable(database, 'it is a replica, which takes no writes', `name the primary server: ${facts.get('master_host')}:${facts.get('master_port')}`);
  }
  const policy = facts.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    throw unusable(database, `it removes keys when its memory is full (maxmemory-policy ${policy})`,
      'run "CONFIG SET maxmemory-policy noeviction" and write it into redis.conf; a cache for other data belongs on another server');
  }
  await checkSlot(connection, facts, config);
  const weak = await weaknesses(connection, facts);
  if (config.durability === 'strict' && weak.length > 0) {
    throw unusable(database, `it may lose what it has acknowledged: ${weak.join(', ')}`,
      'set "appendonly yes" and "appendfsync always" in redis.conf, or write "durability: warn" to accept the loss');
  }
  return { run: facts.get('run_id') ?? '', weak };
}

async function ask(connection: Connection, database: string): Promise<Facts> {
  try {
    const text = await connection.ask((client) => client.info());
    return new Map(text.split('\r\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }));
  } catch (error) {
    throw refused(error, database);
  }
}

/** The error of a start that could not connect. */
export function refused(error: unknown, database: string): TreadleError {
  const text = textOf(error);
  if (/^(?:WRONGPASS|NOAUTH|ERR AUTH)/.test(text)) return unusable(database, text, 'set username and password, e.g. password: ${REDIS_PASSWORD}');
  if (/^NOPERM/.test(text)) return unusable(database, text, 'give the user the right to all keys and channels of the prefix, to scripts, INFO and pub/sub');
  if (/DB index is out of range/.test(text)) return unusable(database, 'it has no database of this number', 'name another one (db), or none');
  if (error instanceof TreadleError && !isAway(error)) return error;
  return treadleError('SERVICE_UNAVAILABLE', { service: database, reason: text }, { cause: error });
}

function checkVersion(facts: Facts, database: string): void {
  const valkey = facts.get('valkey_version');
  const version = valkey ?? facts.get('redis_version') ?? '0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [name, oldest] = valkey === undefined ? ['Redis', OLDEST.redis] : ['Valkey', OLDEST.valkey];
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw unusable(database, `it is ${name} ${version}; ${oldest.join('.')} is the oldest that works`, `use a newer ${name}`);
}

/** All keys of a prefix are in one slot of a cluster; the node that has it is the server to name. */
async function checkSlot(connection: Connection, facts: Facts, config: RedisConfig): Promise<void> {
  if (facts.get('cluster_enabled') !== '1') return;
  try {
    await connection.ask((client) => client.exists(`{${config.prefix}}:members`));
  } catch (error) {
    const [, address] = /^MOVED \d+ (\S+)/.exec(textOf(error)) ?? [];
    if (address === undefined) throw refused(error, databaseName(config));
    throw unusable(databaseName(config), `it is a node of a cluster, and the keys of prefix "${config.prefix}" belong to another one`, `name that node: ${address}`);
  }
}

async function weaknesses(connection: Connection, facts: Facts): Promise<Weaknesses> {
  if (facts.get('aof_enabled') !== '1') return ['appendonly is off: a crash of the server loses what was written since its last snapshot'];
  const fsync = await connection.ask((client) => client.config('GET', 'appendfsync')).then((pairs) => (pairs as readonly string[])[1], () => undefined);
  if (fsync === 'always') return [];
  if (fsync === undefined) return ['appendfsync is not known: the user may not run CONFIG GET'];
  return [`appendfsync is ${fsync}: a crash of the machine loses ${fsync === 'everysec' ? 'about the last second' : 'what the system has not written yet'}`];
}

function unusable(database: string, reason: string, hint: string): TreadleError {
  return new TreadleError('SERVICE_UNAVAILABLE', `${database} cannot be used: ${reason}`, hint);
}
