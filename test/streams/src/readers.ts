import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Latencies } from './latencies.js';
import type { Crowd, ReaderQuestion, ReaderReport } from './reader-messages.js';

const PROGRAM = fileURLToPath(new URL('./reader-process.ts', import.meta.url));

/** What the readers of all processes got together. */
export interface ReadersReport extends Omit<ReaderReport, 'latencies'> {
  readonly latencies: Latencies;
}

/** Readers in processes of their own, shared out evenly. */
export class Readers {
  private readonly processes: readonly ChildProcess[];

  constructor(processes: number) {
    this.processes = Array.from({ length: processes }, () => fork(PROGRAM, { execArgv: ['--import', 'tsx'] }));
  }

  /** Resolves when all have joined. */
  async join(crowd: Crowd): Promise<void> {
    const { length } = this.processes;
    const share = (number: number, index: number): number => Math.floor((number * (index + 1)) / length) - Math.floor((number * index) / length);
    await Promise.all(this.processes.map((child, index) => this.ask(child, {
      type: 'join', port: crowd.port, clients: share(crowd.clients, index), bulk: share(crowd.bulk, index), stalled: share(crowd.stalled, index),
    })));
  }

  /** Those that stall stop reading. */
  async stall(): Promise<void> {
    await this.askAll({ type: 'stall' });
  }

  /** Those that stalled read on. */
  async wake(): Promise<void> {
    await this.askAll({ type: 'wake' });
  }

  async report(): Promise<ReadersReport> {
    const reports = await this.askAll({ type: 'report' }) as readonly ReaderReport[];
    const latencies = new Latencies();
    for (const one of reports) latencies.merge(one.latencies);
    const sum = (of: (report: ReaderReport) => number): number => reports.reduce((total, one) => total + of(one), 0);
    return {
      reading: sum((one) => one.reading), complete: sum((one) => one.complete), disconnected: sum((one) => one.disconnected),
      stalledDisconnected: sum((one) => one.stalledDisconnected), events: sum((one) => one.events), faults: reports.flatMap(({ faults }) => faults), latencies,
    };
  }

  /** Ends all connections, and the processes. */
  async stop(): Promise<void> {
    await Promise.all(this.processes.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    }));
  }

  private async askAll(question: ReaderQuestion): Promise<readonly unknown[]> {
    return Promise.all(this.processes.map((child) => this.ask(child, question)));
  }

  private async ask(child: ChildProcess, question: ReaderQuestion): Promise<unknown> {
    const answered = new AbortController();
    const { signal } = answered;
    const answer = Promise.race([
      once(child, 'message', { signal }), once(child, 'exit', { signal }).then(() => [{ error: 'the process of the readers ended' }]),
    ]);
    child.send(question);
    try {
      const [{ value, error }] = await answer as [{ value?: unknown; error?: string }];
      if (error !== undefined) throw new Error(error);
      return value;
    } finally {
      answered.abort();
    }
  }
}
