import { fileURLToPath } from 'node:url';
import { AskedProcess } from '../../support/asked-process.js';
import { Latencies } from './latencies.js';
import type { Crowd, ReaderQuestion, ReaderReport } from './reader-messages.js';

const PROGRAM = fileURLToPath(new URL('./reader-process.ts', import.meta.url));

/** What the readers of all processes got together. */
export interface ReadersReport extends Omit<ReaderReport, 'latencies'> {
  readonly latencies: Latencies;
}

/** Readers in processes of their own, shared out evenly. */
export class Readers {
  private readonly processes: readonly AskedProcess<ReaderQuestion>[];

  constructor(processes: number) {
    this.processes = Array.from({ length: processes }, () => new AskedProcess(PROGRAM));
  }

  /** Resolves when all have joined. */
  async join(crowd: Crowd): Promise<void> {
    const { length } = this.processes;
    const share = (number: number, index: number): number => Math.floor((number * (index + 1)) / length) - Math.floor((number * index) / length);
    await Promise.all(this.processes.map((one, index) => one.ask({
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
    await Promise.all(this.processes.map((one) => one.stop()));
  }

  private async askAll(question: ReaderQuestion): Promise<readonly unknown[]> {
    return Promise.all(this.processes.map((one) => one.ask(question)));
  }
}
