import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMicroseconds } from '../../bench/src/process-usage.js';
import { EngineProcess } from '../../support/engine-process.js';
import { waitUntil } from '../../support/wait-until.js';
import { GROUPS, streamsApplication } from './application.js';
import { MemoryWatch } from './memory-watch.js';
import { Publisher } from './publisher.js';
import { Readers, type ReadersReport } from './readers.js';

export interface ScaleOptions {
  readonly clients: number;
  /** How many of them stop reading. */
  readonly stalled: number;
  /** How many follow the bulk, too: at least those that stall, which it fills the buffers of. */
  readonly bulk: number;
  readonly seconds: number;
  /** Events a second to all, and in bulk, and their bytes. */
  readonly perSecond: number;
  readonly bytes: number;
  readonly bulkPerSecond: number;
  readonly bulkBytes: number;
  /** Processes of readers. */
  readonly processes: number;
  /** Works for a few clients before the memory is looked at. */
  readonly warmUp: boolean;
}

/** Of the engine's process; MB resident. */
export interface EngineMemory {
  /** Just started, and without a client still, but after the warm-up if there is one. */
  readonly started: number;
  readonly empty: number;
  /** With all clients at rest, the most while events went out, and afterwards. */
  readonly joined: number;
  readonly peak: number;
  readonly after: number;
}

export interface ScaleResult {
  /** What a client adds to the resident memory of the empty engine, in KB: at rest and after the events. */
  readonly kilobytesAClient: Readonly<Record<'atRest' | 'after', number>>;
  readonly joinMs: number;
  readonly memory: EngineMemory;
  /** Events that those who read got. */
  readonly deliveries: number;
  /** Processor time of the engine for each of them. */
  readonly cpuMicroseconds: number;
  /** From the handler of the Step to the reader; milliseconds. */
  readonly latency: Readonly<Record<'p50' | 'p99' | 'most', number>>;
  /** Clients that the engine closed with 4008. */
  readonly slowReaders: number;
  readonly readers: Omit<ReadersReport, 'latencies'>;
  /** What must not be; empty when all is well. */
  readonly faults: readonly string[];
}

/** How long the readers may take to get what was published, and the engine to cut off who does not read. */
const PATIENCE_MS = 60_000;
const SETTLE_MS = 1_500;
const LOOK_MS = 200;
/** The warm-up: as many deliveries as 200 events to 1,000 clients are. */
const WARM_UP = { clients: 20, events: 10_000 };

/** A real engine, readers in other processes, some of which stall: who reads has to get everything, who does not is cut off. */
export async function runScale(options: ScaleOptions): Promise<ScaleResult> {
  const engine = new EngineProcess({ cwd: streamsApplication(), args: ['--config', 'config.yaml'] });
  const readers = new Readers(options.processes);
  try {
    const publisher = new Publisher(await engine.ready());
    await waitUntil('the Step that publishes', () => publisher.last('all').then(() => true, () => false), PATIENCE_MS);
    return await new ScaleRun(engine, readers, publisher, options).run();
  } finally {
    await readers.stop();
    await engine.stop();
  }
}

class ScaleRun {
  private readonly memory: MemoryWatch;

  constructor(
    private readonly engine: EngineProcess, private readonly readers: Readers, private readonly publisher: Publisher, private readonly options: ScaleOptions,
  ) {
    this.memory = new MemoryWatch(engine.pid);
  }

  async run(): Promise<ScaleResult> {
    const { engine, readers, memory, options: { clients, bulk, stalled } } = this;
    const port = Number(new URL(await engine.address('stream')).port);
    const started = await this.atRest();
    if (this.options.warmUp) await this.warmUp(port);
    const empty = await this.atRest();
    const began = performance.now();
    await readers.join({ port, clients, bulk, stalled });
    const joinMs = performance.now() - began;
    const joined = await this.atRest();
    await readers.stall();
    const cpu = cpuMicroseconds(engine.pid);
    await this.publish();
    const { latencies } = await this.everything();
    const used = cpuMicroseconds(engine.pid) - cpu;
    const slowReaders = await this.cutOff();
    const after = await this.atRest();
    memory.stop();
    const { latencies: _, ...counts } = await readers.report();
    return {
      joinMs, memory: { started, empty, joined, peak: memory.peak, after },
      kilobytesAClient: { atRest: kilobytes(joined - empty, clients), after: kilobytes(after - empty, clients) },
      deliveries: counts.events, cpuMicroseconds: used / counts.events,
      latency: { p50: latencies.at(0.5), p99: latencies.at(0.99), most: latencies.at(1) }, slowReaders, readers: counts,
      faults: faultsOf(this.options, counts, slowReaders),
    };
  }

  private async atRest(): Promise<number> {
    await sleep(SETTLE_MS);
    return this.memory.now();
  }

  private async warmUp(port: number): Promise<void> {
    const few = new Readers(1);
    try {
      await few.join({ port, clients: WARM_UP.clients, bulk: 0, stalled: 0 });
      await this.publisher.many('all', this.options.bytes, WARM_UP.events);
    } finally {
      await few.stop();
    }
  }

  private async publish(): Promise<void> {
    const { seconds, perSecond, bytes, bulkPerSecond, bulkBytes } = this.options;
    await Promise.all([
      this.publisher.pace('all', bytes, { seconds, perSecond }), this.publisher.pace('bulk', bulkBytes, { seconds, perSecond: bulkPerSecond }),
    ]);
    for (const group of GROUPS) await this.publisher.last(group);
  }

  /** What the readers have when all of them have everything, or when that takes too long. */
  private async everything(): Promise<ReadersReport> {
    return this.when(({ complete, disconnected, reading }) => complete + disconnected >= reading);
  }

  /** Waits until the engine has closed those that stall; they read what is left for them and see it, too. */
  private async cutOff(): Promise<number> {
    const count = (): number => this.engine.output.split('"code":4008').length - 1;
    const deadline = performance.now() + PATIENCE_MS;
    while (count() < this.options.stalled && performance.now() < deadline) await sleep(LOOK_MS);
    await this.readers.wake();
    await this.when(({ stalledDisconnected }) => stalledDisconnected >= this.options.stalled);
    return count();
  }

  private async when(holds: (report: ReadersReport) => boolean): Promise<ReadersReport> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const report = await this.readers.report();
      if (holds(report) || performance.now() > deadline) return report;
      await sleep(LOOK_MS);
    }
  }
}

function kilobytes(megabytes: number, clients: number): number {
  return Number(((megabytes * 1024) / clients).toFixed(1));
}

function faultsOf({ stalled }: ScaleOptions, readers: Omit<ReadersReport, 'latencies'>, slowReaders: number): readonly string[] {
  const { reading, complete, disconnected, stalledDisconnected, faults } = readers;
  return [
    ...faults,
    ...(complete < reading ? [`${reading - complete} of ${reading} readers do not have everything`] : []),
    ...(disconnected > 0 ? [`${disconnected} of ${reading} readers were disconnected`] : []),
    ...(slowReaders !== stalled ? [`${slowReaders} clients were closed as slow readers, ${stalled} stalled`] : []),
    ...(stalledDisconnected < stalled ? [`${stalledDisconnected} of ${stalled} stalled readers are disconnected`] : []),
  ];
}
