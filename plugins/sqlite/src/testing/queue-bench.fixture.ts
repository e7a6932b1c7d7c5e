/**
 * Measures the queue on this disk: `npx tsx plugins/sqlite/src/testing/queue-bench.fixture.ts [rounds] [backlog] [driver]`. 256 producers
 * enqueue one message each and wait; a consumer claims and settles what there is. Prints one line per driver and mode with the
 * medians of the rounds, which take turns. The second part has `backlog` messages waiting in front of the same subscription,
 * and in another one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger, NewMessage, QueueDelivery, Settlement, StoredSubscription } from '@treadle/api';
import { EngineTurn, systemClock } from '@treadle/kernel';
import { driverNamed } from '../driver/choose-driver.js';
import type { Driver } from '../driver/driver.js';
import { QueueTable } from '../queue/queue-table.js';
import { fsyncMedian } from '../store/fsync-probe.js';
import type { Durability } from '../store/open-connection.js';
import { openStore } from '../store/open-store.js';

const [rounds = 3, backlog = 300_000] = process.argv.slice(2, 4).map(Number);
const only = process.argv[4];
const PRODUCERS = 256;
const SLOTS = 1_000;
const RUN_MS = Number(process.env['RUN_MS'] ?? 1_500);
const LIMITS = { maxWaiting: 2_000_000 };
const MODES: readonly (readonly [Durability, 'thread' | 'loop'])[] = [['full', 'thread'], ['full', 'loop'], ['relaxed', 'loop']];
const DATA = JSON.stringify({ id: 'x'.repeat(36), text: 't'.repeat(200) });
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const silent: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => silent };

interface Setting { readonly driver: Driver; readonly durability: Durability; readonly commits: 'thread' | 'loop'; readonly waiting: 'none' | 'other' | 'same'; readonly fifo: boolean }
interface Figures { readonly rate: number; readonly consumed: number; readonly p50: number; readonly cpu: number; readonly low: number }

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const subscription = (topic: string, fifo = false): StoredSubscription => (
  { step: 'consume', topic, application: 'bench', fifo, delayMs: 0, paused: false, settings: '{}' });

let ids = 0;
function message(topic: string, fifo: boolean): NewMessage {
  ids += 1;
  const id = `m-${String(ids).padStart(20, '0')}`;
  return { id, topic, kind: 'queue', data: DATA, traceparent: TRACE, hops: 0, enqueuedAt: Date.now(), ...fifo && { groupId: `g${ids % 1000}` } };
}

/** What a module does: one call per turn for everything that came up. */
class Turns {
  private enqueues: { readonly batch: readonly NewMessage[]; readonly done: () => void }[] = [];
  private settlements: Settlement[] = [];
  private scheduled = false;
  private active = 0;
  consumed = 0;
  stopped = false;

  constructor(private readonly table: QueueTable) {
    table.onDue(() => this.schedule());
  }

  enqueue(batch: readonly NewMessage[], done: () => void): void {
    this.enqueues.push({ batch, done });
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => this.flush());
  }

  private flush(): void {
    this.scheduled = false;
    if (this.stopped) return;
    const { enqueues, settlements } = this;
    this.enqueues = [];
    this.settlements = [];
    if (enqueues.length > 0) {
      void this.table.enqueueMany(enqueues.map(({ batch }) => batch), LIMITS).then(() => {
        for (const { done } of enqueues) done();
      });
    }
    if (settlements.length > 0) {
      void this.table.settleMany(settlements).then(() => {
        this.active -= settlements.length;
        this.schedule();
      });
    }
    for (const claim of this.table.claimMany([{ step: 'consume', topic: 't', max: SLOTS - this.active }])) this.handle(claim);
  }

  private handle(claim: QueueDelivery): void {
    this.consumed += 1;
    this.active += 1;
    this.settlements.push({ action: 'done', claim });
    this.schedule();
  }
}

async function measure({ driver, durability, commits, waiting, fifo }: Setting): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-bench-'));
  const store = await openStore({ file: join(folder, 'a.db'), durability, commits, driver, clock: systemClock, turn: new EngineTurn(systemClock), log: silent, loopLimitMs: Infinity });
  const { table, leave } = QueueTable.of({ store, clock: systemClock, log: silent, memoryBytes: 64_000_000 });
  await table.changeSubscriptions(['t', 'other'].map((topic) => ({ action: 'put', subscription: subscription(topic, fifo) })));
  if (waiting !== 'none') {
    const topic = waiting === 'same' ? 't' : 'other';
    for (let count = 0; count < backlog; count += 1_000) await table.enqueueMany([Array.from({ length: 1_000 }, () => message(topic, fifo))], LIMITS);
  }
  const turns = new Turns(table);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const times: number[] = [];
  let running = PRODUCERS;
  await new Promise<void>((resolve) => {
    const produce = (): void => {
      const at = performance.now();
      turns.enqueue([message('t', fifo)], () => {
        const now = performance.now();
        times.push(now - at);
        if (now - began < RUN_MS) produce();
        else if (--running === 0) resolve();
      });
    };
    for (let index = 0; index < PRODUCERS; index += 1) produce();
  });
  const seconds = (performance.now() - began) / 1000;
  const rate = times.length / seconds;
  const consumed = turns.consumed / seconds;
  const { user, system } = process.cpuUsage(cpu);
  const low: number[] = [];
  for (let index = 0; index < 100; index += 1) {
    await new Promise((resolve) => void setTimeout(resolve, 2));
    const at = performance.now();
    await new Promise<void>((resolve) => void turns.enqueue([message('t', fifo)], resolve));
    low.push(performance.now() - at);
  }
  turns.stopped = true;
  leave();
  await store.close();
  rmSync(folder, { recursive: true });
  return { rate, consumed, p50: median(times), cpu: (user + system) / times.length, low: median(low) };
}

const drivers = (['node:sqlite', 'better-sqlite3', 'libsql'] as const).filter((name) => !only || name === only).map(driverNamed).filter((driver) => driver !== undefined);
const settings: Setting[] = drivers.flatMap((driver) => [
  ...MODES.map(([durability, commits]) => ({ driver, durability, commits, waiting: 'none' as const, fifo: false })),
  { driver, durability: 'full', commits: 'loop', waiting: 'none', fifo: true },
  ...backlog > 0 ? (['other', 'same'] as const).map((waiting) => ({ driver, durability: 'full' as const, commits: 'loop' as const, waiting, fifo: false })) : [],
]);
const contestants = settings.map((setting) => ({ ...setting, figures: [] as Figures[] }));
process.stdout.write(`Node ${process.version}, fsync p50 ${fsyncMedian(join(tmpdir(), 'treadle-fsync')).toFixed(2)} ms, ${rounds} rounds, backlog ${backlog}\n`);
for (let round = 0; round < rounds; round += 1) for (const one of contestants) one.figures.push(await measure(one));
for (const { driver, durability, commits, waiting, fifo, figures } of contestants) {
  const of = (name: keyof Figures, digits = 0) => median(figures.map((one) => one[name])).toFixed(digits);
  const what = `${durability}, ${commits}${fifo ? ', fifo' : ''}${waiting === 'none' ? '' : `, ${backlog} waiting (${waiting})`}`;
  process.stdout.write(`| ${driver.name} ${driver.sqlite} | ${what} | ${of('rate')} | ${of('consumed')} | ${of('cpu', 1)} | ${of('p50', 2)} | ${of('low', 2)} |\n`);
}
