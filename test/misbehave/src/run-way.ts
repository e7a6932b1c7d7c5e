import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { tempFolder } from '../../support/temp-folder.js';
import { descendantsOf, stillThere } from './descendants.js';
import { badFile, GOOD_FILES } from './step-files.js';
import type { Way } from './ways.js';

/** What was seen of the others while one file misbehaved. */
export interface Outcome {
  /** From the start of the engine until both others have answered, in a run whose engine starts with the bad file; milliseconds. */
  readonly upMs: number | undefined;
  readonly answered: number;
  /** What those of their requests that failed got, e.g. `503 after 1004 ms`. */
  readonly failed: readonly string[];
  /** Answers 502 to their requests that may not be repeated: what became of them is not known. */
  readonly lost: number;
  /** Longest answer of the others; milliseconds. */
  readonly longestMs: number;
  /** From the deed until the log names the culprit; milliseconds. */
  readonly namedMs: number | undefined;
  /** From the kill of the engine until none of its processes is left; undefined: some were left after 5 s. */
  readonly goneMs: number | undefined;
}

/** How long the others are watched after the deed at least, and until the culprit is named at most; milliseconds. */
const WATCHED_MS = 2_500;
const NAMED_MS = 60_000;
/** In pauses, which a busy machine makes as much longer as it does the timers of the processes. */
const GONE_MS = 5_000;
const GONE_PAUSE_MS = 100;
const PAUSE_MS = 20;
const GOOD = ['GoodNode', 'GoodPython'];
const POSTED = ['PostNode', 'PostPython'];
const NAMES_BAD = /bad(?:\.step\.js|_step\.py)|\bBad\b/;

/**
 * Starts an engine, lets one file misbehave, watches the others, and kills the engine beside it. `http`: settings beside the defaults.
 */
export async function runWay(way: Way, mode: 'development' | 'production', http: object = {}): Promise<Outcome> {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as { port: number };
  const root = tempFolder();
  const bad = badFile(way, port);
  const isThere = way.when === 'run' || mode === 'production';
  const config = `engine: { mode: ${mode} }\nmodules:\n  - class: modules::http::HttpModule\n    config: ${JSON.stringify({ port: 0, ...http })}\n  - class: modules::steps::StepsModule\n    config: { port: 0 }\n`;
  for (const [file, text] of Object.entries({ ...GOOD_FILES, 'config.yaml': config, ...(isThere && { [bad.file]: bad.text }) })) await put(root, file, text);
  const engine = new EngineProcess({ cwd: root, args: ['--config', 'config.yaml'] });
  try {
    return await watch(engine, { way, root, bad, isThere });
  } finally {
    await engine.stop('SIGKILL');
    blocker.close();
    await rm(root, { recursive: true, force: true });
  }
}

interface Scene {
  readonly way: Way;
  readonly root: string;
  readonly bad: { readonly file: string; readonly text: string };
  /** The bad file is there when the engine starts. */
  readonly isThere: boolean;
}

async function watch(engine: EngineProcess, { way, root, bad, isThere }: Scene): Promise<Outcome> {
  const began = performance.now();
  const url = await engine.address('http');
  await Promise.all([...GOOD.map((name) => answers(`${url}/${name}`)), ...POSTED.map((name) => answers(`${url}/${name}`, 404))]);
  const upMs = isThere && way.when === 'load' ? performance.now() - began : undefined;
  if (way.when === 'run') await answers(`${url}/Bad`, 404);
  const clients = [...GOOD.map((name) => new Client('GET', `${url}/${name}`)), ...POSTED.map((name) => new Client('POST', `${url}/${name}`))];
  const deed = performance.now();
  const from = isThere && way.when === 'load' ? 0 : engine.output.length;
  if (!isThere) await put(root, bad.file, bad.text);
  const call = way.when === 'run' ? request('GET', `${url}/Bad`).catch(() => undefined) : undefined;
  const isNamed = (): boolean => namesCulprit(engine.output.slice(from));
  let namedMs: number | undefined;
  while (performance.now() - deed < (way.passes || namedMs !== undefined ? WATCHED_MS : NAMED_MS)) {
    if (namedMs === undefined && isNamed()) namedMs = performance.now() - deed;
    await wait(PAUSE_MS);
  }
  for (const client of clients) await client.stop();
  const goneMs = await killed(engine);
  await call;
  const answered = clients.reduce((total, client) => total + client.answered, 0);
  const failed = clients.flatMap((client) => client.failed);
  const lost = clients.reduce((total, client) => total + client.lost, 0);
  return { upMs, answered, failed, lost, longestMs: Math.max(...clients.map(({ longestMs }) => longestMs)), namedMs, goneMs };
}

/** A line that says that something is wrong, as nobody would find the culprit in those of requests. The last one may not be whole yet. */
function namesCulprit(output: string): boolean {
  return output.split('\n').slice(0, -1).some((line) => /^\{.*"level":"(?:warn|error)"/.test(line) && NAMES_BAD.test(line));
}

/** Asks one Step again and again. */
class Client {
  answered = 0;
  readonly failed: string[] = [];
  lost = 0;
  longestMs = 0;
  private stopped = false;
  private readonly over: Promise<void>;

  constructor(private readonly method: 'GET' | 'POST', private readonly url: string) {
    this.over = this.ask();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.over;
  }

  private async ask(): Promise<void> {
    while (!this.stopped) {
      const began = performance.now();
      const answer = await request(this.method, this.url).catch(() => undefined);
      if (answer?.status === 200) this.answered++;
      const ms = performance.now() - began;
      if (answer?.status === 502 && this.method === 'POST') this.lost++;
      else if (answer?.status !== 200) this.failed.push(`${answer?.status ?? 'no answer'} after ${ms.toFixed()} ms`);
      this.longestMs = Math.max(this.longestMs, ms);
      await wait(PAUSE_MS);
    }
  }
}

async function answers(url: string, ...others: readonly number[]): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    // Asked by another method, a handler does not run.
    const answer = await request(others.length > 0 ? 'DELETE' : 'GET', url).catch(() => undefined);
    if (answer && (answer.status === 200 || answer.status === 405)) return;
    if (performance.now() > end) throw new Error(`${url} does not answer`);
    await wait(PAUSE_MS);
  }
}

async function killed(engine: EngineProcess): Promise<number | undefined> {
  const pids = await descendantsOf(engine.pid);
  const began = performance.now();
  process.kill(engine.pid, 'SIGKILL');
  for (let left = GONE_MS; left > 0; left -= GONE_PAUSE_MS) {
    if ((await stillThere(pids)).length === 0) return performance.now() - began;
    await wait(GONE_PAUSE_MS);
  }
  const left = await stillThere(pids);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return left.length === 0 ? performance.now() - began : undefined;
}

async function put(root: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), text);
}
