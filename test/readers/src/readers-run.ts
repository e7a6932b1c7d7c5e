import { readFileSync } from 'node:fs';
import { EngineProcess } from '../../support/engine-process.js';
import { waitUntil } from '../../support/wait-until.js';
import { request } from '../../support/http-client.js';
import { type Answer, type HttpSettings, readersApplication, type RuntimeName } from './application.js';
import { type Ending, HttpReader } from './http-reader.js';
import { EngineMemory, type Memory } from './memory.js';

/** Who asks for what. */
export interface ReadersOptions {
  readonly runtime: RuntimeName;
  readonly answer: Answer;
  /** Of each answer. */
  readonly bytes: number;
  /** Who reads to the end. */
  readonly reading: number;
  /** Who never reads. */
  readonly stalled: number;
  readonly idleMs: number;
  /** Largest heap of the engine and of Node.js Step processes, in MB; Node's own without it. */
  readonly heapMb?: number;
  readonly http?: HttpSettings;
}

export type Endings = Readonly<Record<Ending, number>>;

export interface ReadersResult {
  /** Who reads asks again when it is refused, as the answer says. */
  readonly read: Endings;
  /** Refusals of those who asked again. */
  readonly repeated: number;
  readonly unread: Endings;
  readonly memory: Memory;
  readonly seconds: number;
  /** What is left of connections in the engine, and what must not be in its output. */
  readonly faults: readonly string[];
}

/** How long everything together may take beyond the time that stalled readers are given. */
const PATIENCE_MS = 900_000;

/** A real engine, asked by readers of which some never read. */
export async function runReaders(options: ReadersOptions): Promise<ReadersResult> {
  const { runtime, idleMs, heapMb, http } = options;
  const cwd = readersApplication(runtime, { stream_idle_timeout_ms: idleMs, ...http });
  const env = heapMb === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heapMb}` };
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env });
  try {
    const url = await engine.ready();
    await waitUntil('the Step', async () => (await request('GET', `${url}/logged?bytes=1&lines=0`)).status === 200);
    return await ask(engine, Number(new URL(url).port), options);
  } finally {
    await engine.stop();
  }
}

async function ask(engine: EngineProcess, port: number, options: ReadersOptions): Promise<ReadersResult> {
  const { reading, stalled, idleMs } = options;
  const memory = new EngineMemory(engine.pid);
  const began = performance.now();
  const crowd = new Crowd(port, options);
  const unread = Array.from({ length: stalled }, () => crowd.reader(false));
  const giveUp = setTimeout(() => crowd.giveUp(), PATIENCE_MS + idleMs * 3);
  const read = await count(Array.from({ length: reading }, () => crowd.served()));
  // Who does not read does not hear that it was cut: the engine has let go of its socket.
  await waitUntil('the end of all connections', () => performance.now() - began > idleMs && !anyOpen(port, unread), PATIENCE_MS).catch(() => undefined);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const figures = memory.stop();
  const unreadEndings = await count(unread.map((reader) => reader.wake()));
  clearTimeout(giveUp);
  return { read, repeated: crowd.repeated, unread: unreadEndings, memory: figures, seconds, faults: faultsIn(engine) };
}

/** Everybody who asks for the same answer. */
class Crowd {
  repeated = 0;
  private readonly readers = new Set<HttpReader>();
  private over = false;

  constructor(private readonly port: number, private readonly options: ReadersOptions) {}

  reader(reads: boolean): HttpReader {
    const reader = new HttpReader(this.port, `/${this.options.answer}?bytes=${this.options.bytes}`, { reads });
    this.readers.add(reader);
    void reader.ended.then(() => this.readers.delete(reader));
    return reader;
  }

  /** One that reads, and asks again when it is refused. */
  async served(): Promise<Ending> {
    for (;;) {
      const reader = this.reader(true);
      const ending = await reader.ended;
      if (ending !== 'refused' || this.over) return ending;
      this.repeated++;
      await new Promise((resolve) => setTimeout(resolve, reader.retryAfter * 1000));
    }
  }

  giveUp(): void {
    this.over = true;
    this.readers.forEach((reader) => reader.destroy());
  }
}

/** Columns of `/proc/net/tcp`: `sl local remote state …`, ports in hex, 01 is an open connection. */
function anyOpen(port: number, readers: readonly HttpReader[]): boolean {
  const portOf = (address = ''): number => parseInt(address.slice(address.indexOf(':') + 1), 16);
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').map((line) => line.trim().split(/\s+/));
  const open = new Set(rows.filter(([, local, , state]) => state === '01' && portOf(local) === port).map(([, , remote]) => portOf(remote)));
  return readers.some((reader) => open.has(reader.port));
}

async function count(endings: readonly Promise<Ending>[]): Promise<Endings> {
  const counts = { complete: 0, cut: 0, refused: 0 };
  for (const ending of await Promise.all(endings)) counts[ending]++;
  return counts;
}

const FAULTS = ['a Step process ended', 'out of memory', 'ENOBUFS', 'could not be answered'];

function faultsIn(engine: EngineProcess): readonly string[] {
  const ended = engine.ended ? ['the engine ended'] : [];
  return [...ended, ...engine.output.split('\n').filter((line) => FAULTS.some((fault) => line.includes(fault))).slice(0, 5)];
}
