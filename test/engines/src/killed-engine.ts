import { join } from 'node:path';
import { AdminClient } from '../../support/admin-client.js';
import { progress } from '../../support/campaign.js';
import { EngineProcess } from '../../support/engine-process.js';

/** Where a living engine is reached. */
export interface Addresses {
  readonly http: string;
  readonly stream: string;
}

/** Starts in a row that may fail: on a machine with much else to do a server may not answer a starting engine in time. */
const MOST_FAILED = 3;

/** One of the engines of an application, over its lives. */
export class KilledEngine {
  /** Undefined while it is not there, or not ready. */
  addresses: Addresses | undefined;
  readonly outputs: string[] = [];
  /** Starts that ended by themselves. */
  failedStarts = 0;
  private process: EngineProcess | undefined;

  constructor(private readonly cwd: string, readonly name: string) {}

  /** As a supervisor does: again when it ends by itself. */
  async start(): Promise<void> {
    for (let failed = 1; ; failed += 1) {
      try {
        return await this.startOnce();
      } catch (error) {
        if (failed > MOST_FAILED || !this.process?.ended) throw error;
        this.failedStarts += 1;
        progress('engines', `${this.name} ended while it started: ${this.process.output.trim().split('\n').at(-1) ?? ''}`);
        await this.end('SIGKILL');
      }
    }
  }

  /** Ends this process at once. */
  async kill(): Promise<void> {
    this.addresses = undefined;
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
    this.addresses = undefined;
  }

  get admin(): AdminClient {
    if (!this.process) throw new Error(`engine ${this.name} has not been started`);
    return new AdminClient(this.process);
  }

  private async startOnce(): Promise<void> {
    const started = new EngineProcess({
      cwd: this.cwd, args: ['--config', `${this.name}.yaml`], dataDir: join(this.cwd, this.name), env: { NODE_ENV: 'production', LOG_FORMAT: 'json' },
    });
    this.process = started;
    const http = await started.ready();
    this.addresses = { http, stream: (await started.address('stream')).replace(/^http/, 'ws') };
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    await this.process?.stop(signal);
    this.outputs.push(this.process?.output ?? '');
    this.process = undefined;
  }
}
