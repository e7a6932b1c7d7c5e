import { setTimeout as sleep } from 'node:timers/promises';
import { garbageCollector, type QueueAdapter, type QueueLack } from '@treadle/api';
import { expect } from 'chai';
import type { RunningAdapter } from './adapter-harness.js';
import { errorOf } from './error-of.js';
import { eventually } from './eventually.js';
import { KEY, LONG_MS, messageOf } from './queue-suite/queue-engines.js';
import { held, keeps, subscriptionOf } from './queue-suite/queue-under-test.js';
import { WorkUnderKills } from './queue-suite/work-under-kills.js';
import type { Runner } from './runner.js';
import type { ServerProcess } from './server-process.js';
import { TcpProxy } from './tcp-proxy.js';

const PATIENCE_MS = 60_000;
const LIMITS = { maxWaiting: 10 };

/** A queue on a server of its own, which tests kill. */
export interface QueueServerTarget {
  /** A server whose acknowledged writes survive its kill. */
  startServer(): Promise<ServerProcess>;
  /** An adapter in an engine of its own, on the store at this address. */
  startQueue(url: string): Promise<RunningAdapter<QueueAdapter>>;
  /** How many deliveries the store has as claimed. */
  claimed(server: ServerProcess): Promise<number>;
  /** The message of calls while the server is away. */
  readonly unreachable: RegExp;
  /** How often the server is killed under load. */
  readonly kills: number;
  /** As the adapter declares it. */
  readonly lacks?: readonly QueueLack[];
  /** Is given the figures of the kills under load, in the end. */
  readonly told?: (figures: ServerKillFigures) => void;
}

/** What clients notice of a server that is killed under load; times are of the slowest, in milliseconds. */
export interface ServerKillFigures {
  readonly kills: number;
  readonly acknowledged: number;
  /** An enqueue that failed. */
  readonly longestFailureMs: number;
  /** From the first answer of the server on, until each engine has had a message acknowledged and a delivery. */
  readonly longestReturnMs: number;
  /** What the process of the test keeps alive, ids of all messages among it, after the first kill and after the last one. */
  readonly heapBytes: readonly [first: number, last: number];
}

/** Registers what a queue must do whose server goes away: fail, come back by itself, and lose nothing that was acknowledged. */
export function queueServerSuite(target: QueueServerTarget, { describe, it }: Runner): void {
  describe('a server that goes away', () => {
    it('fails calls while it is away, and works again by itself with what was acknowledged', () => withServer(target, async (server) => {
      await withQueue(target, server.url, (queue) => overCrash(target, server, queue));
    }));
    it('hands out again what a claim had taken whose answer was lost, long before its lease ends', () => withServer(target, (server) => lostClaim(target, server)));
    it(`loses nothing that was acknowledged, over ${target.kills} kills under load`, () => withServer(target, (server) => killedUnderLoad(target, server)));
  });
}

async function overCrash({ unreachable }: QueueServerTarget, server: ServerProcess, queue: QueueAdapter): Promise<void> {
  await queue.enqueueMany([[messageOf({})], [messageOf({})]], LIMITS);
  const [claim] = await queue.claimMany([{ ...KEY, max: 1 }], LONG_MS);
  const done = { action: 'done', claim: held(claim) } as const;
  await server.crash();
  expect(await errorOf(queue.enqueueMany([[messageOf({})]], LIMITS))).to.have.property('code', 'StorageUnavailable');
  expect(await errorOf(queue.settleMany([done]))).to.have.property('code', 'StorageUnavailable');
  expect((await errorOf(queue.claimMany([{ ...KEY, max: 1 }], LONG_MS))).message).to.match(unreachable);
  const woken: string[] = [];
  queue.onDue(({ step }) => void woken.push(step));
  await server.resume();
  await eventually('a wake-up', () => woken.length > 0, Boolean, PATIENCE_MS);
  const taken = await eventually('the other delivery', () => queue.claimMany([{ ...KEY, max: 10 }], LONG_MS).catch(() => []), ({ length }) => length > 0, PATIENCE_MS);
  // A claim need not be synced: the crash may have taken it back, and then it is void.
  const [kept] = await queue.settleMany([done]);
  expect(taken.length + (kept ? 1 : 0)).to.equal(2);
  await queue.settleMany(taken.map((one) => ({ action: 'done', claim: one })));
  expect(await queue.statistics()).to.deep.equal([{ ...KEY, waiting: 0, delayed: 0, retrying: 0, active: 0, dead: 0 }]);
}

async function lostClaim(target: QueueServerTarget, server: ServerProcess): Promise<void> {
  const proxy = await TcpProxy.start(server.port);
  try {
    await withQueue(target, server.url.replace(`:${server.port}`, `:${proxy.port}`), async (queue) => {
      await queue.enqueueMany([[messageOf({})]], LIMITS);
      proxy.swallowAnswers();
      const failure = errorOf(queue.claimMany([{ ...KEY, max: 1 }], 10 * LONG_MS));
      await eventually('the claim in the store', () => target.claimed(server), (count) => count === 1, PATIENCE_MS);
      proxy.restore();
      expect(await failure).to.have.property('code', 'StorageUnavailable');
      const taken = await eventually('the delivery', () => queue.claimMany([{ ...KEY, max: 1 }], LONG_MS).catch(() => []), ({ length }) => length > 0, PATIENCE_MS);
      expect(await queue.settleMany(taken.map((claim) => ({ action: 'done', claim })))).to.deep.equal([true]);
    });
  } finally {
    await proxy.stop();
  }
}

/** Two engines work while the server is killed again and again. */
function killedUnderLoad(target: QueueServerTarget, server: ServerProcess): Promise<void> {
  return withQueue(target, server.url, (one) => withQueue(target, server.url, async (other) => {
    const work = new WorkUnderKills([one, other]);
    const working = work.run();
    const heaps: number[] = [];
    let longestReturnMs = 0;
    try {
      for (let round = 0; round < target.kills; round += 1) {
        const enough = work.acknowledged.size + 100;
        await eventually('100 acknowledged messages', () => work.acknowledged.size >= enough, Boolean, PATIENCE_MS);
        await server.crash();
        await server.resume();
        const [began, goesOn] = [performance.now(), work.goesOn()];
        await eventually('work of each engine', goesOn, Boolean, PATIENCE_MS);
        longestReturnMs = Math.max(longestReturnMs, performance.now() - began);
        if (target.told) heaps.push(await liveHeap());
      }
      await work.endProducing();
      await eventually('the end of all messages', () => work.left.length === 0, Boolean, PATIENCE_MS).catch(() => undefined);
    } finally {
      work.ended = true;
      await working;
    }
    const [acknowledged, longestFailureMs] = [work.acknowledged.size, work.longestFailureMs];
    target.told?.({ kills: target.kills, acknowledged, longestFailureMs, longestReturnMs, heapBytes: [heaps[0] ?? 0, heaps.at(-1) ?? 0] });
    const undead = keeps(target, 'settlements') ? [...work.undead] : [];
    expect({ lost: work.left, undead }).to.deep.equal({ lost: [], undead: [] });
  }));
}

/** What is left of the heap when garbage has been collected; bytes. */
async function liveHeap(): Promise<number> {
  const collect = garbageCollector();
  collect('all');
  await sleep(0);
  collect('all');
  return process.memoryUsage().heapUsed;
}

async function withServer(target: QueueServerTarget, body: (server: ServerProcess) => Promise<void>): Promise<void> {
  const server = await target.startServer();
  try {
    await body(server);
  } finally {
    await server.stop();
  }
}

/** A queue with the subscription `KEY`. */
async function withQueue(target: QueueServerTarget, url: string, body: (queue: QueueAdapter) => Promise<void>): Promise<void> {
  const { adapter, stop } = await target.startQueue(url);
  try {
    const { paused: _paused, ...subscription } = subscriptionOf(KEY.step, KEY.topic);
    await adapter.changeSubscriptions([{ action: 'put', subscription }]);
    await body(adapter);
  } finally {
    await stop();
  }
}
