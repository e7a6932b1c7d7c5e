import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type InvokeRequest, type LogRecord, type Plugin, type StepFailure, type StepResult, StepsPort } from '@treadle/api';
import { Engine, type EnginePlan, planEngine } from '@treadle/kernel';

type Mode = 'development' | 'production';

/** Against what hangs: a busy machine may need many seconds for each process that starts. */
const PATIENCE_MS = 60_000;

/** An engine of an application's folder with nothing but the given plugins, for tests of runtimes. */
export class StepEngine {
  /** All that was logged. */
  readonly records: LogRecord[] = [];
  engine!: Engine;

  /** @param root holds `config.yaml`; removed by `stop` */
  constructor(readonly root: string, private readonly builtins: readonly Plugin[]) {}

  async start(mode?: Mode): Promise<this> {
    const plan = await this.plan(mode);
    this.engine = new Engine({ plan, log: { write: (record) => this.records.push(record) }, engineVersion: '0.1.0' });
    await this.engine.start();
    return this;
  }

  /** What `config.yaml` says now. @throws the first finding */
  async plan(mode: Mode = 'production'): Promise<EnginePlan> {
    const { builtins, root: cwd } = this;
    const { plan, errors } = await planEngine({ configFile: 'config.yaml', cwd, env: process.env, builtins, engineVersion: '0.1.0', mode });
    if (!plan) throw errors[0] ?? new Error('no plan');
    return plan;
  }

  get port(): StepsPort {
    return this.engine.port(StepsPort) as StepsPort;
  }

  /** Process ids of the workers that are ready. */
  get pids(): readonly number[] {
    return this.port.workers().flatMap((worker) => (worker.state === 'ready' && worker.pid !== undefined ? [worker.pid] : []));
  }

  /** Messages of the log, the engine's and the Steps'. */
  messages(): readonly string[] {
    return this.records.map((record) => record.message);
  }

  /** Resolves when so many workers serve the Step. */
  serving(step: string, workers = 1): Promise<void> {
    const detail = (): string => JSON.stringify([this.port.diagnostics(), this.records.slice(-5)]);
    return until(() => this.engine.dispatch.invoker.servers(step) >= workers, PATIENCE_MS, detail);
  }

  invoke(step: string, over: Partial<InvokeRequest> = {}): Promise<StepResult> {
    return this.engine.dispatch.invoker.invoke(stepRequest(step, over));
  }

  /** The JSON that a Step answers. */
  async answer(step: string, over: Partial<InvokeRequest> = {}): Promise<unknown> {
    const body = (await this.invoke(step, over)).http?.body;
    return body?.kind === 'json' && body.text !== undefined ? JSON.parse(body.text) as unknown : body?.value;
  }

  write(file: string, text: string): Promise<void> {
    return writeFileBelow(this.root, file, text);
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** A start of a Step's first trigger, an HTTP one. */
export const stepRequest = (step: string, over: Partial<InvokeRequest> = {}): InvokeRequest => ({
  step, trigger: { type: 'http', index: 0 }, input: { method: 'GET', path: '/', headers: {} }, traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16), sampled: true, timeoutMs: 60_000, attempt: 1, lane: 'request', waitMs: 0, ...over,
});

/** YAML that loads StepsModule alone, with this config in one line. */
export function stepsOnly(config: string): string {
  return `engine: { implicit_modules: false }\nmodules:\n  - class: modules::steps::StepsModule\n    config: ${config}\n`;
}

/** Looks every 5 ms until a condition holds. @throws Error after `limitMs`, with `detail` */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = PATIENCE_MS, detail = (): string => ''): Promise<void> {
  const end = Date.now() + limitMs;
  while (!await condition()) {
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms: ${condition.toString()} ${detail()}`);
    await wait(5);
  }
}

/** What a start failed with. @throws Error when it did not */
export const stepFailure = (promise: Promise<unknown>): Promise<StepFailure> => promise.then(
  () => { throw new Error('expected a failure'); }, (error: unknown) => error as StepFailure);

/** True while there is such a process. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // there is no such process
  }
}

/** Writes a file with the folders that it needs. */
export async function writeFileBelow(root: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), text);
}
