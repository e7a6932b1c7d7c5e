import type { CronAdapter, DeliveryClaim, NewMessage, QueueAdapter, StateAdapter } from '@treadle/api';
import { expect } from 'chai';
import type { RunningAdapter } from './adapter-harness.js';
import { KEY as TRIGGER, runOf } from './cron-suite/cron-under-test.js';
import { LEASE_MS, TRACE } from './queue-suite/queue-under-test.js';
import type { Runner } from './runner.js';
import { TcpProxy } from './tcp-proxy.js';

const KEY = { step: 'a', topic: 't' };
const MOST = { maxWaiting: 1_000 };
/** A busy machine takes long; what hangs fails all the same. */
const PATIENCE_MS = 30_000;
const AGAIN_MS = 25;
/** How long the store is away for all: leases end meanwhile, and whoever was not heard of for so long seems to be gone. */
const OUTAGE_MS = 6_000;
/** Calls that come one after the other while the store does not answer: the last ones when the first has not failed yet, and after that. */
const [CALLS, APART_MS] = [8, 600];
/** Within which each of them fails: the 3 s that operators are promised, and a little more. In small pieces, which a busy machine makes as much longer as it does the timers of an adapter. */
const [FAILS_MS, PIECE_MS] = [4_500, 50];

/** A store on a server of this machine. */
export interface PartitionTarget {
  /** A fresh store, for as long as `body` runs. */
  withStore(body: (store: PartitionStore) => Promise<void>): Promise<void>;
}

export interface PartitionStore {
  /** Where the server listens. */
  readonly port: number;
  /** Starts a queue in an engine of its own, which reaches the server by a port. */
  start(port: number): Promise<RunningAdapter<QueueAdapter>>;
  /** The same for state, where the server keeps it. */
  startState?(port: number): Promise<RunningAdapter<StateAdapter>>;
  /** The same for cron, where the server keeps it. */
  startCron?(port: number): Promise<RunningAdapter<CronAdapter>>;
}

/** Two engines on one store, of which the first is cut off. */
interface Partitioned {
  readonly cutOff: QueueAdapter;
  readonly other: QueueAdapter;
  readonly proxy: TcpProxy;
}

/** How networks part an engine from its store. */
const WAYS = { 'whose connections end': 'cut', 'whose connections are half open': 'silence' } as const;

/** That an engine that is parted from the store of several engines fails its calls in time, loses what it holds, and goes on by itself afterwards. */
export function partitionSuite(target: PartitionTarget, { describe, it }: Runner): void {
  describe('an engine that is parted from its store', () => {
    for (const [what, way] of Object.entries(WAYS)) {
      it(`${what}, fails its calls, has lost its claims to another one, and goes on afterwards`, () => target.withStore((store) => withTwo(store, (engines) => parted(engines, way))));
    }
    it('keeps the runs of one that is well, when another one reaches it first after an outage for both', () => target.withStore(backOneByOne));
    it('fails all writes of one key in time while nothing answers', () => target.withStore(writesInSilence));
  });
}

async function writesInSilence({ port, startState }: PartitionStore): Promise<void> {
  if (!startState) return;
  const proxy = await TcpProxy.start(port);
  const { adapter, stop } = await startState(proxy.port);
  try {
    const write = (): Promise<unknown> => adapter.write({ group: 'g', key: 'k', next: () => ({ action: 'set', value: 1 }), recordChange: false });
    await write();
    proxy.silence();
    await failInTime(Array.from({ length: CALLS }, () => write));
    proxy.restore();
    await until('it writes again', () => write().then(() => true, () => false));
  } finally {
    proxy.restore();
    await stop();
    await proxy.stop();
  }
}

async function backOneByOne({ port, startCron }: PartitionStore): Promise<void> {
  if (!startCron) return;
  const proxies = [await TcpProxy.start(port), await TcpProxy.start(port)] as const;
  const engines = [await startCron(proxies[0].port), await startCron(proxies[1].port)] as const;
  const [late, first] = [engines[0].adapter, engines[1].adapter];
  try {
    const run = runOf(1_000);
    await late.claim([run], OUTAGE_MS);
    for (const proxy of proxies) proxy.cut();
    await pause(OUTAGE_MS + APART_MS);
    proxies[1].restore();
    await until('the first one reaches the store', () => first.running(TRIGGER).then(({ length }) => length === 1, () => false));
    for (let left = OUTAGE_MS; left > 0; left -= APART_MS, await pause(APART_MS)) expect(await first.orphans(), 'runs of one that is not back yet').to.deep.equal([]);
    expect(await first.takeOver(run, LEASE_MS)).to.equal(undefined);
    proxies[0].restore();
    expect(await until('the late one reaches it', () => late.renew([run.id], LEASE_MS).catch(() => undefined))).to.deep.equal([run.id]);
    await late.finish([{ ...run, status: 'succeeded' }]);
    expect((await first.runs(TRIGGER, 1))[0]).to.include({ id: run.id, status: 'succeeded' });
    const lost = runOf(2_000);
    await late.claim([lost], OUTAGE_MS);
    proxies[0].cut();
    expect(await until('what one holds that stays away is taken over', () => first.takeOver(lost, LEASE_MS))).to.deep.equal({ ...lost, attempt: 2 });
  } finally {
    for (const proxy of proxies) proxy.restore();
    for (const { stop } of engines) await stop();
    for (const proxy of proxies) await proxy.stop();
  }
}

async function withTwo({ port, start }: PartitionStore, body: (engines: Partitioned) => Promise<void>): Promise<void> {
  const proxy = await TcpProxy.start(port);
  const running: RunningAdapter<QueueAdapter>[] = [];
  try {
    for (const each of [proxy.port, port]) running.push(await start(each));
    const [cutOff, other] = running.map(({ adapter }) => adapter) as [QueueAdapter, QueueAdapter];
    await cutOff.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    // Its vote is what keeps the subscription when the first engine is gone.
    await other.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    await body({ cutOff, other, proxy });
  } finally {
    proxy.restore();
    for (const { stop } of running) await stop();
    await proxy.stop();
  }
}

async function parted({ cutOff, other, proxy }: Partitioned, way: 'cut' | 'silence'): Promise<void> {
  const acknowledged = new Set<string>();
  const enqueue = async (queue: QueueAdapter, id: string): Promise<void> => {
    const [outcome] = await queue.enqueueMany([[message(id)]], MOST);
    if (outcome?.ok) acknowledged.add(id);
  };
  await enqueue(cutOff, 'held');
  await enqueue(cutOff, 'waiting');
  const [held] = await cutOff.claimMany([{ ...KEY, max: 1 }], 10 * LEASE_MS);
  if (!held) throw new Error('nothing could be claimed');
  proxy[way]();
  await failInTime(Array.from({ length: CALLS }, (_, n) => () => enqueue(cutOff, `lost ${n}`)));
  for (const call of [() => enqueue(cutOff, 'lost'), () => cutOff.settleMany([done(held)]), () => cutOff.claimMany([{ ...KEY, max: 1 }], LEASE_MS)]) {
    expect(await faultOf(call())).to.equal('StorageUnavailable');
  }
  await enqueue(other, 'meanwhile');
  const taken = new Map<string, DeliveryClaim>();
  await until('the other engine takes over what the one held', async () => {
    for (const one of await other.claimMany([{ ...KEY, max: 10 }], 10 * LEASE_MS)) taken.set(one.messageId, one);
    return [...acknowledged].every((id) => taken.has(id));
  });
  proxy.restore();
  const settled = await until('it reaches the store again', () => cutOff.settleMany([done(held)]).catch(() => undefined));
  expect(settled, 'the claim that was held through it').to.deep.equal([false]);
  expect(await other.settleMany([...taken.values()].map(done))).to.deep.equal([...taken].map(() => true));
  await enqueue(cutOff, 'afterwards');
  const [last] = await until('work goes on', async () => {
    const claims = await cutOff.claimMany([{ ...KEY, max: 1 }], LEASE_MS);
    return claims.length > 0 && claims;
  });
  expect(last?.messageId).to.equal('afterwards');
  expect(await cutOff.settleMany(last ? [done(last)] : [])).to.deep.equal([true]);
}

/** Calls that come beside each other, some time apart. @throws when one does not fail in time */
async function failInTime(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  const faults: Promise<string | undefined>[] = [];
  for (const call of calls) {
    faults.push(faultOf(call(), FAILS_MS));
    await pause(APART_MS);
  }
  expect(await Promise.all(faults)).to.deep.equal(calls.map(() => 'StorageUnavailable'));
}

const done = (claim: DeliveryClaim): { readonly action: 'done'; readonly claim: DeliveryClaim } => ({ action: 'done', claim });

function message(id: string): NewMessage {
  return { id, topic: 't', kind: 'queue', data: '{}', traceparent: TRACE, hops: 0, enqueuedAt: Date.now() };
}

/** The code with which it fails, in time. */
async function faultOf(call: Promise<unknown>, limitMs = PATIENCE_MS): Promise<string | undefined> {
  let isOver = false;
  const late = async (): Promise<string> => {
    for (let left = limitMs; left > 0 && !isOver; left -= PIECE_MS) await pause(PIECE_MS);
    return `it still waits after ${limitMs} ms`;
  };
  const ended = call.then(() => 'no fault', ({ code }: { readonly code?: string }) => code);
  return Promise.race([ended, late()]).finally(() => { isOver = true; });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Asks until there is an answer. @throws an `Error` when there is none in time */
async function until<T>(what: string, ask: () => Promise<T | false | undefined>): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer;
  }
  throw new Error(`in vain: ${what}`);
}
