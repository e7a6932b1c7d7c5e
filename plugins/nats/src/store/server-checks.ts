import { DiscardPolicy, RetentionPolicy, type StreamConfig, StorageType } from '@nats-io/jetstream';
import { TreadleError, treadleError } from '@treadle/api';
import { codeOf, isMissingStream, textOf } from './faults.js';
import { Link } from './link.js';
import { type NatsConfig, serverName } from './store.config.js';

const OLDEST = [2, 9];
/** Room for the largest value and what goes with it. */
const LEAST_PAYLOAD = 1_048_576;
const SAFE_REPLICAS = 3;
const DISABLED: ReadonlySet<number> = new Set([10039, 10076]);

/**
 * Connects, and looks at the server before anything is stored there.
 * @throws {SERVICE_UNAVAILABLE} when it cannot be used: too old, without JetStream, with too small a payload, or not there; with
 * `durability: strict` also when a power cut may take what it has acknowledged
 */
export async function openLink(config: NatsConfig): Promise<Link> {
  const server = serverName(config);
  const weak = weaknessOf(config);
  if (config.durability === 'strict' && weak !== undefined) {
    throw unusable(server, `a power cut may take what it has acknowledged: ${weak}`, 'set replicas to 3, or sync_always where the server syncs each write; "durability: warn" accepts the loss');
  }
  const link = await Link.open(config).catch((error: unknown) => { throw connectFault(server, error); });
  try {
    await checkServer(link, server);
    return link;
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** Why a power cut may take acknowledged writes; undefined where it does not. */
export function weaknessOf({ replicas, sync_always: synced }: NatsConfig): string | undefined {
  if (replicas >= SAFE_REPLICAS || synced) return undefined;
  return `${replicas === 1 ? 'one copy' : `${replicas} copies`} of each stream, which the server syncs to its disk only from time to time (sync_interval, 2 minutes by default)`;
}

/** What a stream of the store is like. */
export interface StreamShape {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly perSubject?: number;
  /** Kept in memory, for so many seconds; of what nobody misses. */
  readonly memorySeconds?: number;
}

/** A stream as the server has it. */
export interface FoundStream {
  /** When the server made it. */
  readonly created: string;
  /** It may be asked directly for a message. Only where it has one replica: another one may lack what was acknowledged. */
  readonly isDirect: boolean;
}

/**
 * Makes a stream that is not there.
 * @throws {SERVICE_UNAVAILABLE} when there is one that promises less than the settings, or it cannot be made
 */
export async function ensureStream(link: Link, config: NatsConfig, shape: StreamShape): Promise<FoundStream> {
  const { streams } = link.jsm;
  try {
    const found = await streams.info(shape.name).catch(async (error: unknown) => {
      if (!isMissingStream(error)) throw error;
      // It fails as well when another engine makes the stream at the same moment.
      return streams.add(configOf(config, shape)).catch((fault: unknown) => streams.info(shape.name).catch(() => { throw fault; }));
    });
    if (shape.memorySeconds === undefined) checkKept(link.server, found.config, config.replicas);
    const { num_replicas: replicas, allow_direct: direct } = found.config;
    return { created: found.created, isDirect: direct && replicas === 1 };
  } catch (error) {
    if (error instanceof TreadleError) throw error;
    throw unusable(link.server, `stream ${shape.name} cannot be made: ${textOf(error)}`, 'replicas need a cluster of as many servers, and the user the right to use JetStream');
  }
}

/** Looks at a stream that must keep what is in it. @throws {SERVICE_UNAVAILABLE} */
function checkKept(server: string, stream: StreamConfig, wanted: number): void {
  const { name, storage, num_replicas: replicas, max_age: age, max_bytes: bytes, max_msgs: count, discard } = stream;
  if (storage !== StorageType.File) throw unusable(server, `stream ${name} lies in memory`, 'remove that stream, or give the store another name');
  if (replicas < wanted) throw unusable(server, `stream ${name} has ${replicas} of ${wanted} replicas`, `raise it with "nats stream edit ${name} --replicas ${wanted}"`);
  if (age > 0) throw unusable(server, `stream ${name} loses what is older than its max_age`, `correct it with "nats stream edit ${name} --max-age 0s"`);
  if ((bytes > 0 || count > 0) && discard !== DiscardPolicy.New) {
    throw unusable(server, `stream ${name} loses its oldest messages when it is full`, `correct it with "nats stream edit ${name} --discard new"`);
  }
}

function configOf({ replicas }: NatsConfig, { name, subjects, perSubject = -1, memorySeconds }: StreamShape): Partial<StreamConfig> & { name: string } {
  return {
    name, subjects: [...subjects], retention: RetentionPolicy.Limits, max_msgs_per_subject: perSubject,
    ...memorySeconds === undefined
      ? { storage: StorageType.File, discard: DiscardPolicy.New, num_replicas: replicas, allow_direct: replicas === 1 }
      : { storage: StorageType.Memory, discard: DiscardPolicy.Old, num_replicas: 1, max_age: memorySeconds * 1e9, duplicate_window: memorySeconds * 1e9 },
  };
}

async function checkServer(link: Link, server: string): Promise<void> {
  const { version = '0', max_payload: payload = 0 } = link.connection.info ?? {};
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < (OLDEST[0] ?? 0) || (major === OLDEST[0] && minor < (OLDEST[1] ?? 0))) {
    throw unusable(server, `it is version ${version}; ${OLDEST.join('.')} is the oldest that works`, 'use a newer nats-server');
  }
  if (payload < LEAST_PAYLOAD) throw unusable(server, `it takes messages of ${payload} bytes; ${LEAST_PAYLOAD} are needed`, `set max_payload to ${LEAST_PAYLOAD} or more at the server`);
  try {
    await link.jsm.getAccountInfo();
  } catch (error) {
    const code = codeOf(error);
    if (DISABLED.has(code) || /no responders|not enabled/i.test(textOf(error))) {
      throw unusable(server, 'JetStream is not enabled', 'start the server with -js and a folder (-sd DIR), and let the account use JetStream');
    }
    throw treadleError('SERVICE_UNAVAILABLE', { service: server, reason: textOf(error) }, { cause: error });
  }
}

function connectFault(server: string, error: unknown): TreadleError {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return unusable(server, textOf(error), 'correct creds_file');
  if (/authorization|authentication|permission/i.test(`${(error as Error).name} ${textOf(error)}`)) {
    return unusable(server, textOf(error), 'set user and password, token or creds_file, e.g. password: ${NATS_PASSWORD}');
  }
  return treadleError('SERVICE_UNAVAILABLE', { service: server, reason: textOf(error) }, { cause: error });
}

function unusable(server: string, reason: string, hint: string): TreadleError {
  return new TreadleError('SERVICE_UNAVAILABLE', `${server} cannot be used: ${reason}`, hint);
}
