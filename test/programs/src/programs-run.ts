import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@treadle/testing';
import { descendantsOf } from '../../bench/src/process-usage.js';
import type { Control } from '../../chaos/src/application.js';
import { AdminClient, type ShownSubscription } from '../../support/admin-client.js';
import { EngineProcess } from '../../support/engine-process.js';
import { type Answer, request } from '../../support/http-client.js';
import { waitUntil } from '../../support/wait-until.js';
import { programsApplication } from './application.js';
import { COMPARED, type Counters, Expectation } from './expectation.js';
import { ProgramWriter, type ProgramSizes } from './program.js';
import { Submitter } from './submitter.js';

export interface ProgramsRun extends ProgramSizes {
  /** Programs a second that are sent, as far as the engine takes them. */
  readonly rate: number;
  /** Time from a start, or the last kill, to a kill, in milliseconds. */
  readonly engineEveryMs: number;
  readonly workerEveryMs: number;
  /** Then the rest is handled in peace: where a restart takes longer than the time between two kills, little is handled before. Default: no limit. */
  readonly mostKills?: { readonly engine: number; readonly worker: number };
  /** A queue that is wrong on purpose. */
  readonly control?: Control;
  /** How long the number of what waits may stay the same before the rest counts as stuck, in milliseconds. Default 60,000. */
  readonly quietMs?: number;
}

export interface ProgramsResult {
  readonly programs: number;
  readonly keysCompared: number;
  readonly engineKills: number;
  readonly workerKills: number;
  readonly batchesRepeated: number;
  /** Handler runs that neither a program's first attempt nor a planned failure explains: kills do. */
  readonly runsRepeated: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

const LOOK_MS = 100;
const QUIET_MS = 60_000;

/** Programs under kills; in the end the counters have to be what the programs add up to. */
export async function runPrograms(run: ProgramsRun): Promise<ProgramsResult> {
  const began = performance.now();
  const programs = new ProgramWriter(run).write();
  const expected = new Expectation(programs);
  const submitter = new Submitter(programs, run.rate);
  const engine = new KilledEngine(run, submitter);
  try {
    await engine.start();
    const unfinished = await engine.killUntil(submitter.done());
    const found = await countersOf(engine.url);
    const runs = sumOf(found.get('runs'));
    const runsRepeated = runs - expected.programs - expected.failures;
    const outOfOrder = [...found.get('faults') ?? []].map(([key, what]) => `order of ${key}: ${what}`);
    const faults = [...unfinished, ...outOfOrder, ...expected.differences(found), ...(runsRepeated < 0 ? [`${-runsRepeated} runs too few`] : [])];
    return {
      programs: expected.programs, keysCompared: expected.size, engineKills: engine.engineKills, workerKills: engine.workerKills,
      batchesRepeated: submitter.repeated, runsRepeated, faults, seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    submitter.stop();
    await engine.stop();
  }
}

class KilledEngine {
  engineKills = 0;
  workerKills = 0;
  url = '';
  private readonly cwd: string;
  private readonly random: () => number;
  private engine: EngineProcess | undefined;
  private engineDue = 0;
  private workerDue = 0;

  constructor(private readonly run: ProgramsRun, private readonly submitter: Submitter) {
    this.cwd = programsApplication(run.control);
    this.random = seededRandom(run.seed + 1);
  }

  async start(): Promise<void> {
    this.engine = new EngineProcess({ cwd: this.cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json' } });
    this.url = await this.engine.ready();
    this.submitter.target = this.url;
    [this.engineDue, this.workerDue] = [performance.now() + this.run.engineEveryMs, performance.now() + this.run.workerEveryMs];
  }

  /** Kills until everything was sent and has come to its end. Gives what did not, or came to a wrong one. */
  async killUntil(sent: Promise<void>): Promise<readonly string[]> {
    let allSent = false;
    const sending = sent.then(() => { allSent = true; });
    let [left, since] = ['', performance.now()];
    for (;;) {
      await Promise.race([sending, sleep(LOOK_MS)]);
      if (allSent) await sleep(LOOK_MS);
      await this.killWhatIsDue();
      const subscriptions = await this.subscriptions();
      const open = subscriptions?.map(unfinishedOf).reduce((sum, one) => sum + one, 0);
      const dead = subscriptions?.filter((one) => one.dead > 0).map((one) => `${one.step}: ${one.dead} dead letters`) ?? [];
      if (dead.length > 0) return dead;
      if (allSent && open === 0) return [];
      const now = JSON.stringify([subscriptions?.map(unfinishedOf), allSent]);
      if (now !== left) [left, since] = [now, performance.now()];
      if (performance.now() - since > (this.run.quietMs ?? QUIET_MS)) return [`nothing moved any more: ${left}`];
    }
  }

  async stop(): Promise<void> {
    await this.engine?.stop();
  }

  private async killWhatIsDue(): Promise<void> {
    const engine = this.running();
    const { engine: mostOfEngine, worker: mostOfWorkers } = this.run.mostKills ?? { engine: Infinity, worker: Infinity };
    if (performance.now() > this.engineDue && this.engineKills < mostOfEngine) {
      this.submitter.target = undefined;
      engine.child.kill('SIGKILL');
      await engine.exit;
      this.engineKills += 1;
      await this.start();
    } else if (performance.now() > this.workerDue && this.workerKills < mostOfWorkers) {
      this.workerDue = performance.now() + this.run.workerEveryMs;
      const workers = descendantsOf(engine.pid);
      const victim = workers[Math.floor(this.random() * workers.length)];
      if (victim !== undefined && killed(victim)) this.workerKills += 1;
    }
  }

  /** Undefined when the engine has no answer. */
  private async subscriptions(): Promise<readonly ShownSubscription[] | undefined> {
    return new AdminClient(this.running()).subscriptions().catch(() => undefined);
  }

  private running(): EngineProcess {
    if (!this.engine || this.engine.ended) throw new Error(`the engine ended by itself:\n${this.engine?.output.slice(-4000)}`);
    return this.engine;
  }
}

const unfinishedOf = ({ waiting, retrying, delayed, active }: ShownSubscription): number => waiting + retrying + delayed + active;

/** False when it had just died by itself. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

/** The last kill may still take the worker that has the request: it is asked again. */
async function answered(url: string): Promise<Answer> {
  return waitUntil(`the answer of ${url}`, async () => {
    const answer = await request('GET', url);
    if (answer.status !== 200 && answer.status !== 502) throw new Error(`${url} answered ${answer.status}: ${answer.text}`);
    return answer.status === 200 && answer;
  });
}

async function countersOf(url: string): Promise<Counters> {
  const counters = new Map<string, Map<string, number>>();
  for (const group of [...COMPARED, 'runs', 'faults']) {
    const values = new Map<string, number>();
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const path = `/report/${group}${cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`}`;
      const page = (await answered(url + path)).json as { readonly items: readonly (readonly [string, number])[]; readonly cursor?: string };
      for (const [key, value] of page.items) values.set(key, value);
      cursor = page.cursor;
    }
    counters.set(group, values);
  }
  return counters;
}

const sumOf = (values: ReadonlyMap<string, number> = new Map()): number => [...values.values()].reduce((sum, one) => sum + one, 0);
