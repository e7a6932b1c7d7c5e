import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Slice {
  readonly requests: number;
  readonly perSecond: number;
  readonly failures: number;
  readonly non2xx: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface SliceJob {
  readonly port: number;
  readonly connections: number;
  readonly ms: number;
  /** The bytes of one request. */
  readonly request: string;
}

/** Makes load, one slice at a time. */
export interface Load {
  /** As the report names it. */
  readonly name: string;
  run(job: SliceJob): Promise<Slice>;
  stop(): void;
}

/** The load generator of this repository. */
export class LoadProcess implements Load {
  readonly name = 'load-generator.mjs';
  private readonly child: ChildProcess;
  private settle: ((slice: Slice) => void) | undefined;
  private fail: ((error: Error) => void) | undefined;

  constructor() {
    const program = fileURLToPath(new URL('load-generator.mjs', import.meta.url));
    this.child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env['PATH'] } });
    if (!this.child.stdout) throw new Error('the load generator has no output');
    createInterface({ input: this.child.stdout }).on('line', (line) => this.settle?.(JSON.parse(line) as Slice));
    this.child.once('exit', (code) => this.fail?.(new Error(`the load generator ended with ${code}`)));
  }

  run(job: SliceJob): Promise<Slice> {
    return new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
      this.child.stdin?.write(`${JSON.stringify(job)}\n`);
    });
  }

  stop(): void {
    this.fail = undefined;
    this.child.kill();
  }
}
