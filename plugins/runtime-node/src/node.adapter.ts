import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  Adapter, type Clock, InjectConfig, type ModuleContext, type RuntimeAdapter, type RuntimeCapabilities, type RuntimeHost,
  RuntimeSlot, type StepFile, type WorkerStatus,
} from '@treadle/api';
import { StepWorkers } from '@treadle/dispatch/supervision';
import { isNodeStep } from '@treadle/worker/discover';
import { NodeConfig } from './node.config.js';
import { startProcess } from './supervision/spare-process.js';
import { stepProgram } from './supervision/step-program.js';

/** Runs TypeScript and JavaScript Steps in child processes. */
@Adapter<NodeConfig, RuntimeCapabilities>({
  id: 'modules::runtime::adapters::Node',
  slot: RuntimeSlot,
  summary: 'Runs TypeScript and JavaScript Steps in Node processes of their own.',
  stability: 'beta',
  since: '0.1.0',
  config: NodeConfig,
  capabilities: { isolation: true, kill: true, hotSwap: true, languages: ['typescript', 'javascript'] },
  variants: { default: { workers: 1, node_options: [] }, two_workers: { workers: 2, node_options: [] } },
})
export class NodeAdapter implements RuntimeAdapter {
  readonly name = 'node';
  private processes: StepWorkers | undefined;
  private clock: Clock | undefined;

  constructor(@InjectConfig() private readonly config: NodeConfig) {}

  async init(context: Pick<ModuleContext, 'clock'>): Promise<void> {
    this.clock = context.clock;
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.retire(0);
  }

  serves(file: string): boolean {
    return isNodeStep(file);
  }

  async launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
    const { clock, config, name } = this;
    if (!clock) throw new Error('launch() before init()');
    const esbuild = createRequire(import.meta.url).resolve('esbuild');
    const { max_old_space_mb: heap, node_options: further } = config;
    const nodeOptions = [...(heap === undefined ? [] : [`--max-old-space-size=${heap}`]), ...further];
    const launch = (): ReturnType<typeof startProcess> => startProcess({ ...stepProgram(host.dist), nodeOptions, cwd: host.root, env: host.env });
    // A build is compiled already; its program needs neither.
    const start = { esbuild, cacheDir: join(host.dataDir, 'cache') };
    this.processes = new StepWorkers({ count: config.workers, runtime: name, launch, start, clock, host });
    this.processes.start(files);
    return Promise.resolve();
  }

  update(files: readonly StepFile[]): void {
    this.processes?.update(files);
  }

  async retire(deadlineMs: number): Promise<void> {
    const { processes } = this;
    this.processes = undefined;
    await processes?.retire(deadlineMs);
  }

  workers(): readonly WorkerStatus[] {
    return this.processes?.statuses ?? [];
  }
}
