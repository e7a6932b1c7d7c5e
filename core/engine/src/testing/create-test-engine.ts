import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatError, type Diagnostic, type QueueAdapter, StepsPort } from '@treadle/api';
import { Engine, type EnginePlan, planEngine } from '@treadle/kernel';
import type { Setups, Step } from 'treadle';
import { planOptions } from '../plan-options.js';
import { ENGINE_VERSION } from '../version.js';
import { Activity } from './kit/activity.js';
import { applicationRoot, configFileOf } from './kit/application-root.js';
import { Captured } from './kit/captured.js';
import { CronControl } from './kit/cron-control.js';
import { FakeTime } from './kit/fake-time.js';
import { chooseSteps } from './kit/step-selection.js';
import { TestApplication, type TestApplicationParts } from './kit/test-application.js';
import type { TestEngine } from './kit/test-engine.js';
import type { TestLanguage } from './kit/test-language.js';
import { testPlan } from './kit/test-plan.js';
import { fakeOperations, type TestOperations } from './kit/test-operations.js';
import { nodeLanguage } from './kit/test-runtime.js';
import { testTelemetry } from './kit/test-telemetry.js';
import { watchedQueue } from './kit/watched-queue.js';
import { watchedStreams } from './kit/watched-streams.js';

/** How long an engine may take to start; milliseconds of real time. */
const START_MS = 30_000;

/** What a test engine runs; everything has a default. */
export interface TestEngineOptions {
  /** Folder of the application. Default: the nearest one with a package.json, from the working directory upwards. */
  readonly root?: string;
  /**
   * Which Steps: files or folders, relative to the root, or Steps that `step()` made. Default: all of the application. Declarations of
   * streams come with the files.
   */
  readonly steps?: readonly string[] | readonly Step[];
  /** Configuration file, relative to the root. Default: `config.yaml` when there is one. Stores are in memory, whatever it says. */
  readonly config?: string;
  /**
   * Values in the place of what `*.setup.ts` would open, by name; handlers read them as `ctx.setup`. They are neither opened nor closed. Default:
   * setups are opened when the engine is made, and closed by `stop()`.
   */
  readonly setups?: { readonly [Name in keyof Setups]?: unknown };
  /** For `${VAR}` in the configuration and the variables that `*.env.ts` declares. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Time at which the clock stands at first. Default: now. */
  readonly now?: Date | number;
  /**
   * Functions in the place of operations that handlers call by `ctx.call`, by name. Each takes the arguments and who calls, and gives the
   * result or throws; an `OperationError` reaches the handler as it is. Their arguments are checked as those of the plugin are.
   */
  readonly operations?: TestOperations;
  /**
   * Class IDs of modules that the test does without, such as one that would open a connection: their trigger kinds and operations stay
   * known, but nothing of them runs.
   */
  readonly without?: readonly string[];
  /** How long `untilIdle` waits, unless it is told otherwise; milliseconds of real time. Default 10,000. */
  readonly timeoutMs?: number;
}

/**
 * Starts an application inside a test: the engine's own modules in this process, everything that is stored in memory, the clock standing
 * still. Any number of them may run side by side, in any test runner. End it with `stop()`.
 * @throws an `Error` with all findings when the configuration or a Step has an error, or there is no such Step
 */
export async function createTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  return startTestEngine(options, nodeLanguage(options));
}

/** The same for the Steps of a language. */
export async function startTestEngine(options: TestEngineOptions, language: TestLanguage): Promise<TestApplication> {
  const root = applicationRoot(options.root);
  const { now = Date.now() } = options;
  const wishes = { ...options, root, now: Math.floor(Number(now)), plan: await planOf(options, root) };
  const again = (): Promise<TestApplicationParts> => fresh(wishes, language);
  return new TestApplication(await again(), again);
}

type Wishes = TestEngineOptions & { readonly root: string; readonly now: number; readonly plan: EnginePlan };

/** A folder for what the engine writes. */
interface Scratch {
  readonly path: string;
  readonly clear: () => void;
}

/** A running engine that has stored nothing yet. */
async function fresh(wishes: Wishes, language: TestLanguage): Promise<TestApplicationParts> {
  const path = mkdtempSync(join(tmpdir(), 'treadle-test-'));
  const clear = (): void => rmSync(path, { recursive: true, force: true });
  try {
    chmodSync(path, 0o700);
    return await start(wishes, language, { path, clear });
  } catch (error) {
    clear();
    throw error;
  }
}

async function start(options: Wishes, language: TestLanguage, scratch: Scratch): Promise<TestApplicationParts> {
  const { root, plan } = options;
  const chosen = await chooseSteps(plan.root, options.steps, { scratch: scratch.path, language });
  const time = new FakeTime(options.now);
  const activity = new Activity(() => time.hasDue, language.alive);
  time.onFire = () => activity.touch();
  const captured = new Captured();
  const cron = new CronControl(activity);
  let queue: QueueAdapter | undefined;
  const engine = new Engine({
    plan: testPlan({ ...plan, root: chosen.root }, scratch.path, {
      runtime: language.runtime({ chosen, cacheDir: join(plan.dataDir, 'cache'), time, activity }),
      queue: (spec) => watchedQueue({ activity, captured, made: (made) => void (queue = made) }, spec),
      stream: (spec) => watchedStreams(captured, spec), cron: () => cron.moduleClass(), telemetry: testTelemetry(captured),
      without: options.without ?? [],
    }),
    engineVersion: ENGINE_VERSION, logLevel: 'debug', clock: time, log: { write: (record) => void captured.logs.push(record) },
  });
  const parts: TestApplicationParts = {
    engine, time, activity, captured, cron, root, queue: () => queue, notServed: chosen.notServed, timeoutMs: options.timeoutMs,
    clear: scratch.clear,
  };
  try {
    await started(engine);
    fakeOperations(engine, options.operations ?? {});
    cron.open();
    refuseBroken(engine, captured, (file) => language.isStep(file) && chosen.chosen(file));
    await new TestApplication(parts).untilIdle({ timeoutMs: START_MS });
    return parts;
  } catch (error) {
    await new TestApplication(parts).stop();
    throw error;
  }
}

async function planOf({ config, env = process.env }: TestEngineOptions, root: string): Promise<EnginePlan> {
  const configFile = configFileOf(root, config);
  const { plan, errors } = await planEngine(planOptions({ cwd: root, env, mode: 'development', ...configFile !== undefined && { configFile } }));
  if (plan) return plan;
  throw new Error(`the configuration is invalid:\n${errors.map(formatError).join('\n')}`);
}

/** The engine's own limits are measured by its clock, which stands still. */
async function started(engine: Engine): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the engine did not start within ${START_MS} ms: ${waiting(engine)}`)), START_MS);
  });
  try {
    await Promise.race([engine.start(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function waiting(engine: Engine): string {
  const last = engine.bootTree.at(-1);
  return last ? `what came after ${JSON.stringify(last)} did not end` : 'nothing was constructed';
}

/** A Step that cannot be loaded must fail the test, not be missing in it. */
function refuseBroken(engine: Engine, { logs }: Captured, isRun: (file: string) => boolean): void {
  const steps = engine.port(StepsPort);
  if (steps?.workers().some(({ settled }) => !settled)) {
    throw new Error(`the Steps could not be loaded: ${JSON.stringify(logs.filter(({ level }) => level === 'error').at(-1) ?? 'no reason was logged')}`);
  }
  const errors = (steps?.diagnostics() ?? []).filter(({ severity, file }) => severity === 'error' && isRun(file));
  if (errors.length > 0) throw new Error(`the application has errors:\n${errors.map(line).join('\n')}`);
}

function line({ file, line: row, code, message, remedy }: Diagnostic): string {
  return `${file}${row === undefined ? '' : `:${row}`}  ${code}  ${message}\n  ${remedy}`;
}
