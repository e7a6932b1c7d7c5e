import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../../support/admin-client.js';
import { progress } from '../../support/campaign.js';
import { EngineProcess } from '../../support/engine-process.js';
import type { Line } from './line.js';

/** What may happen to an engine: its end, the end of its connections, their silence (half open), and that the machine does not run it for a time. */
export const ACCIDENTS = ['kill', 'cut', 'silence', 'freeze'] as const;
export type Accident = (typeof ACCIDENTS)[number];

/** Where a living engine is reached. */
export interface Addresses {
  readonly http: string;
  readonly stream: string;
}

/** Starts in a row that may fail: on a machine with much else to do a server may not answer a starting engine in time. */
const MOST_FAILED = 3;

/** One of the engines of an application, over its lives and accidents. */
export class TriedEngine {
  /** Undefined while it is not there, or not ready. */
  addresses: Addresses | undefined;
  readonly outputs: string[] = [];
  /** Starts that ended by themselves. */
  failedStarts = 0;
  private process: EngineProcess | undefined;

  constructor(private readonly cwd: string, readonly name: string, private readonly line: Line) {}

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

  /** Resolves when the accident is over. @param ms how long it lasts; a killed engine starts again at once */
  async suffer(accident: Accident, ms: number): Promise<void> {
    if (accident === 'kill') {
      await this.kill();
      await this.start();
    } else if (accident === 'freeze') {
      await this.freeze(ms);
    } else {
      await this.line.fail(accident, ms);
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

  /** Nobody is sent to it meanwhile, as a balancer sees to. */
  private async freeze(ms: number): Promise<void> {
    const { addresses, process: frozen } = this;
    if (!frozen) return;
    this.addresses = undefined;
    process.kill(frozen.pid, 'SIGSTOP');
    await sleep(ms);
    process.kill(frozen.pid, 'SIGCONT');
    this.addresses = addresses;
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
