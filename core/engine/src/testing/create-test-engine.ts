import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatError, type Diagnostic, type QueueAdapter, StepsPort } from '@treadle/api';
import { Engine, type EnginePlan, planEngine } from '@treadle/kernel';
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
import type { TestEngineOptions } from './kit/test-engine-options.js';
import type { TestLanguage } from './kit/test-language.js';
import { testPlan } from './kit/test-plan.js';
import { fakeOperations } from './kit/test-operations.js';
import { nodeLanguage } from './kit/test-runtime.js';
import { testTelemetry } from './kit/test-telemetry.js';
import { watchedQueue } from './kit/watched-queue.js';
import { watchedStreams } from './kit/watched-streams.js';

/** How long an engine may take to start; milliseconds of real time. */
const START_MS = 30_000;

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
