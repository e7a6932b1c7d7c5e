import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@treadle/testing';
import { descendantsOf } from '../../bench/src/process-usage.js';
import { EngineProcess } from '../../support/engine-process.js';
import { tempFolder } from '../../support/temp-folder.js';
import { chaosApplication, type EngineChanges, storeOf } from './application.js';
import { CheckerProcess } from './checker-process.js';
import { Producers, type Load } from './producers.js';
import { unsettledAfterDeath, unsettledNow } from './store-reader.js';
import { faultsIn, type Verdict } from './verdict.js';

export interface ChaosRun extends EngineChanges {
  readonly name: string;
  readonly seed: number;
  readonly load: Load;
  readonly engineKills: number;
  readonly workerKills: number;
  /** Shortest and longest time between two kills, in milliseconds. Default 200 to 3,000. */
  readonly betweenMs?: readonly [number, number];
  /** How long nothing may come to its end before what is outstanding counts as lost, in milliseconds. Default 20,000. */
  readonly quietMs?: number;
  /** Keeps the history, which is otherwise removed. */
  readonly historyFile?: string;
}

export interface ChaosResult {
  readonly run: Omit<ChaosRun, 'historyFile'>;
  readonly faults: readonly string[];
  readonly verdict: Verdict;
  readonly seconds: number;
}

const BETWEEN_MS = [200, 3000] as const;
const TAIL_MESSAGES = 50;
const QUIET_MS = 20_000;
/** Step processes by default. */
const WORKERS = 2;
/** How often in a row no worker may be found to kill. */
const MOST_FRUITLESS = 30;

/** Load, kills at random moments, a calm end, and the checker's verdict. Repeatable by its seed as far as processes are. */
export async function runChaos(run: ChaosRun): Promise<ChaosResult> {
  const began = performance.now();
  const history = run.historyFile ?? join(tempFolder(), 'history.jsonl');
  rmSync(history, { force: true });
  const checker = await CheckerProcess.start(history);
  const producers = new Producers(checker, run.load);
  const chaos = new Chaos(run, checker, producers);
  try {
    await chaos.start();
    for (const what of chaos.plan()) await (what === 'engine' ? chaos.killEngine() : chaos.killWorker());
    await chaos.tail();
    const verdict = await checker.verdict();
    const { historyFile: _, ...about } = run;
    return { run: about, faults: faultsIn(verdict), verdict, seconds: Math.round((performance.now() - began) / 1000) };
  } finally {
    producers.url = undefined;
    await chaos.stop();
    checker.stop();
  }
}

type Victim = 'engine' | 'worker';

class Chaos {
  private readonly cwd: string;
  private readonly random: () => number;
  private engine: EngineProcess | undefined;
  private fruitless = 0;

  constructor(private readonly run: ChaosRun, private readonly checker: CheckerProcess, private readonly producers: Producers) {
    this.cwd = chaosApplication(checker.port, run);
    this.random = seededRandom(run.seed);
  }

  /** Kills of both kinds, evenly mixed: a new engine starts with workers that have not crashed yet and restart at once. */
  plan(): readonly Victim[] {
    const { engineKills, workerKills } = this.run;
    const total = engineKills + workerKills;
    return Array.from({ length: total }, (_, index) => Math.floor(((index + 1) * engineKills) / total) > Math.floor((index * engineKills) / total) ? 'engine' : 'worker');
  }

  async start(): Promise<void> {
    const engine = new EngineProcess({ cwd: this.cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json' } });
    this.engine = engine;
    const url = await engine.ready();
    await this.checker.tell({ type: 'started', pid: engine.pid });
    this.producers.url = url;
  }

  async killEngine(): Promise<void> {
    await this.pause();
    const engine = this.running();
    await this.checker.tell({ type: 'killing', what: 'engine', pid: engine.pid });
    engine.child.kill('SIGKILL');
    this.producers.url = undefined;
    await engine.exit;
    await this.checker.tell({ type: 'killed', what: 'engine', pid: engine.pid, unsettled: unsettledAfterDeath(this.store) });
    await this.start();
  }

  /**
   * One that runs handlers, while another one does as well: what is measured is redelivery, not the growing pause after which the
   * engine starts a worker again that died before. The process that the engine keeps in reserve runs no handlers.
   */
  async killWorker(): Promise<void> {
    await this.pause();
    const alive = new Set(descendantsOf(this.running().pid));
    const victims = (await this.checker.status()).recentPids.filter((pid) => alive.has(pid));
    const pid = victims[Math.floor(this.random() * victims.length)];
    if (pid === undefined || victims.length < Math.min(2, this.run.workers ?? WORKERS)) {
      this.fruitless += 1;
      if (this.fruitless > MOST_FRUITLESS) throw new Error(`the workers do not run handlers any more:\n${this.running().output.slice(-4000)}`);
      return this.killWorker();
    }
    this.fruitless = 0;
    await this.checker.tell({ type: 'looking' });
    await this.checker.tell({ type: 'killing', what: 'worker', pid, unsettled: unsettledNow(this.store) });
    kill(pid);
    return this.checker.tell({ type: 'killed', what: 'worker', pid });
  }

  /** Without faults: everything has to be acknowledged, and everything acknowledged to come to its end. */
  async tail(): Promise<void> {
    await sleep(1500);
    await this.checker.tell({ type: 'tail' });
    const before = this.producers.sent;
    while (this.producers.sent < before + TAIL_MESSAGES * 2) await sleep(50);
    await this.producers.stop();
    let [least, since] = [Infinity, performance.now()];
    for (;;) {
      const { outstanding } = await this.checker.status();
      if (outstanding < least) [least, since] = [outstanding, performance.now()];
      if (outstanding === 0 || performance.now() - since > (this.run.quietMs ?? QUIET_MS)) break;
      await sleep(100);
    }
    await sleep(500); // what should not come any more would come now
  }

  async stop(): Promise<void> {
    await this.producers.stop();
    await this.engine?.stop();
  }

  private get store(): string {
    return join(this.cwd, 'data', storeOf(this.run));
  }

  private running(): EngineProcess {
    const engine = this.engine;
    if (!engine || engine.ended) throw new Error(`the engine ended by itself:\n${engine?.output.slice(-4000)}`);
    return engine;
  }

  private async pause(): Promise<void> {
    const [least, most] = this.run.betweenMs ?? BETWEEN_MS;
    await sleep(least + this.random() * (most - least));
  }
}

/** One that has just died by itself, or that its engine has ended, is as dead as it was to be. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
