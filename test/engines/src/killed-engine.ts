import { join } from 'node:path';
import { AdminClient } from '../../support/admin-client.js';
import { EngineProcess } from '../../support/engine-process.js';

/** Where a living engine is reached. */
export interface Addresses {
  readonly http: string;
  readonly stream: string;
}

/** One of the engines of an application, over its lives. */
export class KilledEngine {
  /** Undefined while it is not there, or not ready. */
  addresses: Addresses | undefined;
  readonly outputs: string[] = [];
  private process: EngineProcess | undefined;

  constructor(private readonly cwd: string, readonly name: string) {}

  async start(): Promise<void> {
    const started = new EngineProcess({
      cwd: this.cwd, args: ['--config', `${this.name}.yaml`], dataDir: join(this.cwd, this.name), env: { NODE_ENV: 'production', LOG_FORMAT: 'json' },
    });
    this.process = started;
    const http = await started.ready();
    this.addresses = { http, stream: (await started.address('stream')).replace(/^http/, 'ws') };
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

  private async end(signal: NodeJS.Signals): Promise<void> {
    await this.process?.stop(signal);
    this.outputs.push(this.process?.output ?? '');
    this.process = undefined;
  }
}
