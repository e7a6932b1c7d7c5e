import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatError, type Clock, type LogLevel, type LogRecord, type Plugin, type TreadleError } from '@treadle/api';
import { Engine, planEngine, type EnginePlan, type PlanOptions, type ReloadReport, type StopReport } from '@treadle/kernel';
import { BUILTIN_PLUGINS } from '../builtin-plugins.js';
import { ENGINE_VERSION } from '../version.js';
import { isolated, withConfigFile } from './test-config.js';

/** What a test engine is made of; everything has a default. */
export interface TestCompositionOptions {
  /** Text of the configuration; beats `configFile`. Without both the default configuration runs. */
  readonly yaml?: string;
  /** Relative to `root`. */
  readonly configFile?: string;
  /** The application's root; default: a fresh, empty folder. */
  readonly root?: string;
  /** Variables of the engine and of the processes that it starts. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: those of the distribution. */
  readonly builtins?: readonly Plugin[];
  readonly mode?: 'development' | 'production';
  readonly clock?: Clock;
  /** Default: debug. */
  readonly logLevel?: LogLevel;
}

/** An engine in this process. */
export interface TestComposition {
  readonly engine: Engine;
  readonly plan: EnginePlan;
  readonly root: string;
  readonly dataDir: string;
  readonly warnings: readonly TreadleError[];
  /** Everything that was logged so far. */
  readonly logs: readonly LogRecord[];
  /** What modules ended the engine with. */
  readonly fatal: readonly TreadleError[];
  /** Address that a module announced, e.g. `url('http')`. @throws an `Error` that names the known ones */
  url(name: string): string;
  /** Applies another configuration. @throws an `Error` with all findings when it is invalid */
  reload(yaml: string): Promise<ReloadReport>;
  /** Stops the engine and removes its folders. Idempotent. */
  stop(): Promise<StopReport>;
}

/**
 * Starts an engine in this process, on free ports unless the configuration writes them, with a data directory of its
 * own and captured logs. It refuses no requests for a slow event loop unless the configuration writes from when on.
 * @throws an `Error` with all findings when the configuration is invalid
 * @throws the `TreadleError` of the start, after everything has been stopped
 */
export async function createTestComposition(options: TestCompositionOptions = {}): Promise<TestComposition> {
  const scratch = mkdtempSync(join(tmpdir(), 'treadle-test-'));
  try {
    chmodSync(scratch, 0o700);
    const test = new InProcessEngine(options, scratch, await makePlan(options, options.yaml, scratch));
    await test.engine.start();
    return test;
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  }
}

interface Planned { readonly plan: EnginePlan; readonly warnings: readonly TreadleError[] }

async function makePlan(options: TestCompositionOptions, yaml: string | undefined, scratch: string): Promise<Planned> {
  const root = options.root ?? scratch;
  const plan = async (configFile = options.configFile): Promise<Planned> => check(await planEngine({
    cwd: root, env: options.env ?? process.env, builtins: options.builtins ?? BUILTIN_PLUGINS, engineVersion: ENGINE_VERSION,
    ...optional({ configFile, mode: options.mode }),
  }));
  const made = yaml === undefined ? await plan() : await withConfigFile(root, yaml, plan);
  return { ...made, plan: isolated(made.plan, scratch) };
}

function optional({ configFile, mode }: { configFile: string | undefined; mode: PlanOptions['mode'] | undefined }): object {
  return { ...(configFile === undefined ? {} : { configFile }), ...(mode === undefined ? {} : { mode }) };
}

function check(result: Awaited<ReturnType<typeof planEngine>>): Planned {
  if (result.plan) return { plan: result.plan, warnings: result.warnings };
  throw new Error(`the configuration is invalid:\n${result.errors.map(formatError).join('\n')}`);
}

class InProcessEngine implements TestComposition {
  readonly engine: Engine;
  readonly logs: LogRecord[] = [];
  readonly fatal: TreadleError[] = [];
  readonly warnings: readonly TreadleError[];
  plan: EnginePlan;
  private stopped: Promise<StopReport> | undefined;

  constructor(private readonly options: TestCompositionOptions, readonly dataDir: string, planned: Planned) {
    this.plan = planned.plan;
    this.warnings = planned.warnings;
    this.engine = new Engine({
      plan: this.plan, engineVersion: ENGINE_VERSION, logLevel: options.logLevel ?? 'debug',
      log: { write: (record) => this.logs.push(record) }, onFatal: (error) => this.fatal.push(error),
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    });
  }

  get root(): string {
    return this.plan.root;
  }

  url(name: string): string {
    const address = this.engine.addresses.get(name);
    if (address !== undefined) return address;
    throw new Error(`nothing announced "${name}"; known: ${[...this.engine.addresses.keys()].join(', ') || 'nothing'}`);
  }

  async reload(yaml: string): Promise<ReloadReport> {
    const { configFile } = this.plan;
    // The file has another name each time; that is no reason to restart what read the former one.
    const plan = { ...(await makePlan(this.options, yaml, this.dataDir)).plan, ...(configFile === undefined ? {} : { configFile }) };
    const report = await this.engine.reload(plan);
    if (!report.rolledBack) this.plan = plan;
    return report;
  }

  stop(): Promise<StopReport> {
    this.stopped ??= this.engine.stop().finally(() => rmSync(this.dataDir, { recursive: true, force: true }));
    return this.stopped;
  }
}
