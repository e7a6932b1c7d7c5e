import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type InvokeRequest, type LogRecord, type StepFailure, type StepResult, StepsPort } from '@treadle/api';
import { Engine, type EnginePlan, planEngine } from '@treadle/kernel';
import stepsPlugin from '@treadle/module-steps';
import runtimePlugin from './index.js';

const SDK = dirname(dirname(fileURLToPath(import.meta.resolve('treadle'))));

export interface StartOptions {
  /** Path relative to the root → content. */
  readonly files: Readonly<Record<string, string>>;
  /** YAML of the `config` of StepsModule, one line. */
  readonly config?: string;
  readonly mode?: 'development' | 'production';
}

/** An engine with StepsModule and the runtimes of this package, in a fresh folder. */
export class TestEngine {
  readonly records: LogRecord[] = [];
  engine!: Engine;
  private constructor(readonly root: string) {}

  static async start(options: StartOptions): Promise<TestEngine> {
    const test = new TestEngine(await makeApplication(options));
    const plan = await test.plan(options.mode);
    test.engine = new Engine({ plan, log: { write: (record) => test.records.push(record) }, engineVersion: '0.1.0' });
    await test.engine.start();
    return test;
  }

  /** What `config.yaml` says now. */
  async plan(mode: 'development' | 'production' = 'production'): Promise<EnginePlan> {
    const builtins = [stepsPlugin, runtimePlugin];
    const { plan, errors } = await planEngine({ configFile: 'config.yaml', cwd: this.root, env: {}, builtins, engineVersion: '0.1.0', mode });
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

  /** Messages of the log, engine's and Steps'. */
  messages(): readonly string[] {
    return this.records.map((record) => record.message);
  }

  serving(step: string, workers = 1): Promise<void> {
    return until(() => this.engine.hub.servers(step) >= workers);
  }

  invoke(step: string, over: Partial<InvokeRequest> = {}): Promise<StepResult> {
    return this.engine.hub.invoke(request(step, over));
  }

  /** The JSON that a Step answers. */
  async answer(step: string, over: Partial<InvokeRequest> = {}): Promise<unknown> {
    const { http } = await this.invoke(step, over);
    return http?.body?.value;
  }

  write(file: string, text: string): Promise<void> {
    return write(this.root, file, text);
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Writes an application with a configuration that loads only StepsModule. */
export async function makeApplication({ files, config = '{ port: 0 }' }: StartOptions): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'treadle-node-'));
  for (const [file, text] of Object.entries(files)) await write(root, file, text);
  await mkdir(join(root, 'node_modules'));
  await symlink(SDK, join(root, 'node_modules/treadle'));
  await write(root, 'config.yaml', configFile(config));
  return root;
}

/** YAML that loads StepsModule alone, with this config. */
export function configFile(config: string): string {
  return `engine: { implicit_modules: false }\nmodules:\n  - class: modules::steps::StepsModule\n    config: ${config}\n`;
}

/** A Step file whose handler has this body. */
export function stepFile(name: string, body: string, path = `/${name}`): string {
  return `import { step, http } from 'treadle';\n`
    + `export default step({ name: '${name}', triggers: [http('GET', '${path}')] }, async (input, ctx) => { ${body} });\n`;
}

export const request = (step: string, over: Partial<InvokeRequest> = {}): InvokeRequest => ({
  step, trigger: { type: 'http', index: 0 }, input: { method: 'GET', path: '/', headers: {} }, traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16), sampled: true, timeoutMs: 60_000, attempt: 1, lane: 'request', waitMs: 0, ...over,
});

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 15_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!await condition()) {
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}

export const failure = (promise: Promise<unknown>): Promise<StepFailure> => promise.then(
  () => { throw new Error('expected a failure'); }, (error: unknown) => error as StepFailure);

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // there is no such process
  }
}

async function write(root: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), text);
}
