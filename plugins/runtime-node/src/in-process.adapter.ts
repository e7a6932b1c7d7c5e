import { join } from 'node:path';
import {
  Adapter, type ConfigSchema, type Environment, type Logger, type ModuleContext, type RuntimeAdapter, type RuntimeCapabilities,
  type RuntimeHost, RuntimeSlot, type StepFile, type Timer, type WorkerStatus,
} from '@treadle/api';
import { builtModules, readBuildLock, type BuiltModule } from '@treadle/protocol/build-lock';
import { isNodeStep } from '@treadle/worker/discover';
import type { InProcessSession } from './in-process-session.js';
import { NodeAdapter } from './node.adapter.js';

/** A load under way is waited for this long even in a hurry, since it goes on in any case; milliseconds. */
const LOADING_MS = 500;

/** It has no settings. */
export type InProcessConfig = Readonly<Record<string, never>>;

const InProcessConfig: ConfigSchema<InProcessConfig> = { type: 'object', additionalProperties: false, properties: {} };

/** Runs TypeScript and JavaScript Steps in the engine's own process. */
@Adapter<InProcessConfig, RuntimeCapabilities>({
  id: 'modules::runtime::adapters::InProcess',
  slot: RuntimeSlot,
  summary: 'Runs TypeScript and JavaScript Steps inside the engine: fastest, but a handler that blocks or crashes takes the engine with it.',
  stability: 'beta',
  since: '0.1.0',
  config: InProcessConfig,
  capabilities: { isolation: false, kill: false, hotSwap: false, languages: ['typescript', 'javascript'] },
  variants: { default: {} },
})
export class InProcessAdapter implements RuntimeAdapter {
  readonly name = 'in-process';
  private context: Pick<ModuleContext, 'clock' | 'log'> | undefined;
  /** In development: a handler under construction must not take the engine with it. */
  private instead: NodeAdapter | undefined;
  private session: InProcessSession | undefined;

  init(context: Pick<ModuleContext, 'clock' | 'log'>): Promise<void> {
    this.context = context;
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.instead?.stop();
    await this.session?.end();
    this.instead = this.session = undefined;
  }

  serves(file: string): boolean {
    return isNodeStep(file);
  }

  async launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
    if (!this.context) throw new Error('launch() before init()');
    if (host.mode === 'development') return this.launchNode(host, files, this.context);
    warn(this.context.log);
    shareVariables(host.env);
    // Loaded here: the runner of Steps is of no use to an engine that runs them elsewhere.
    const { InProcessSession } = await import('./in-process-session.js');
    this.session = new InProcessSession({
      host, log: this.context.log, runner: { root: host.root, mode: host.mode, cacheDir: join(host.dataDir, 'cache'), built: modulesOf(host.dist) },
    });
    this.session.load(files);
  }

  update(files: readonly StepFile[]): void {
    this.instead?.update(files);
    this.session?.load(files);
  }

  /** Running calls are the engine's to wait for; what is being loaded still writes to the cache. */
  async retire(deadlineMs: number): Promise<void> {
    await this.instead?.retire(deadlineMs);
    if (!this.session || !this.context) return;
    const { clock } = this.context;
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => { timer = clock.after(Math.max(deadlineMs, LOADING_MS), resolve); });
    await Promise.race([this.session.loaded, late]);
    timer?.cancel();
  }

  workers(): readonly WorkerStatus[] {
    if (this.instead) return this.instead.workers();
    if (!this.session) return [];
    const { settled } = this.session;
    return [{ worker: 0, pid: process.pid, state: settled ? 'ready' : 'starting', restarts: 0, settled }];
  }

  private async launchNode(
    host: RuntimeHost, files: readonly StepFile[], context: Pick<ModuleContext, 'clock' | 'log'>,
  ): Promise<void> {
    context.log.info('development mode runs Steps in a process of their own instead of the engine', { runtime: 'modules::runtime::adapters::Node' });
    this.instead = new NodeAdapter({ workers: 1, node_options: [] });
    await this.instead.init(context);
    await this.instead.launch(host, files);
  }
}

/** What a build made of the sources; undefined: the sources run. */
function modulesOf(dist: string | undefined): ReadonlyMap<string, BuiltModule> | undefined {
  const lock = dist === undefined ? undefined : readBuildLock(dist);
  return dist === undefined || !lock ? undefined : builtModules(dist, lock);
}

/** Handlers of this process read `process.env`: it gets what the application's files say of variables that it has not. */
function shareVariables(env: Environment): void {
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] ??= value;
}

function warn(log: Logger): void {
  log.warn('Steps run inside the engine: a handler that blocks or crashes stops everything, and a timeout cannot end it', {
    runtime: 'modules::runtime::adapters::InProcess',
  });
}
