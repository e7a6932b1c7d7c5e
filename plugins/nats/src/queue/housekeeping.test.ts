import type { Logger, NewMessage, StoredSubscription } from '@treadle/api';
import { errorOf, eventually, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { NatsStore } from '../store/nats-store.js';
import type { NatsConfig } from '../store/store.config.js';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { streamInfo } from '../testing/jet-stream.fixture.js';
import { linesOf, SnapshotReader } from './machine/snapshot.js';
import type { QueueMachine } from './machine/queue-machine.js';
import { QueueOperator } from './queue-operator.js';
import { QueueWork } from './queue-work.js';
import { SharedQueue } from './shared-queue.js';
import { Snapshots } from './snapshots.js';

const warnings: string[] = [];
const logger = { info: () => undefined, error: () => undefined, warn: (text: string) => void warnings.push(text) } as unknown as Logger;
const KEY = { step: 'a', topic: 't' };
const LIMITS = { maxWaiting: 10_000 };

let engines = 0;

interface Engine {
  readonly queue: SharedQueue;
  readonly work: QueueWork;
  readonly operator: QueueOperator;
  close(): Promise<void>;
}

async function open(config: NatsConfig): Promise<Engine> {
  engines += 1;
  const clock = fakeClock(Date.now());
  const store = await NatsStore.open({ config, clock, log: logger, engine: `e${engines}` });
  const queue = await SharedQueue.open(store, { clock, log: logger });
  queue.housekeeping.snapshots.syncedMs = -60_000;
  return {
    queue, work: new QueueWork(queue), operator: new QueueOperator(queue),
    close: async () => {
      await queue.close();
      await store.close();
    },
  };
}

const subscription: Omit<StoredSubscription, 'paused'> = { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' };
const messageOf = (index: number): NewMessage => ({
  id: `m${String(index).padStart(5, '0')}`, topic: 't', kind: 'queue', data: `"${'x'.repeat(100)}${index}"`, traceparent: '', hops: 0, enqueuedAt: Date.now(), dedupeKey: `k${index}`,
});

function copyOf(machine: QueueMachine): QueueMachine {
  const reader = new SnapshotReader();
  for (const line of linesOf(machine)) reader.read(line);
  return reader.finish();
}

/** Messages, one entry each, and the end of all but every tenth. */
async function work({ work: queue }: Engine, from: number, count: number): Promise<void> {
  for (let index = from; index < from + count; index += 1) await queue.enqueueMany([[messageOf(index)]], LIMITS);
  const claims = await queue.claimMany([{ ...KEY, max: count }], 60_000);
  await queue.settleMany(claims.map((claim, index) => (
    index % 10 === 0 ? { action: 'dead', claim, progress: claim.progress, reason: 'max_attempts', at: Date.now() } : { action: 'done', claim })));
}

withServer.describe('the housekeeping of a queue\'s log', () => {
  withServer.it('removes what nobody needs, and a start finds everything else', async () => {
    const { config, cleanup } = await freshConfig();
    const one = await open(config);
    try {
      await one.queue.changeSubscriptions([{ action: 'put', subscription }]);
      for (let round = 0; round < 3; round += 1) {
        await work(one, round * 100, 100);
        await one.queue.housekeeping.make();
      }
      const [letters] = await one.operator.deadLetterCounts();
      expect(letters?.count).to.equal(30);
      const { state } = await streamInfo(config, 'queue');
      // 300 messages were stored: of those before the last snapshot but one the letters are left, and all of the last round.
      expect(state.subjects?.[`treadle.${config.name}.q.b`]).to.equal(20 + 100);
      expect(one.queue.machine.bodies.freed.size).to.equal(90);
      const other = await open(config);
      expect(other.queue.replica.sinceSnapshot, 'entries that the start has read').to.be.below(50);
      const page = await other.operator.deadLetters({}, { limit: 100 });
      expect(page.items.map(({ data }) => data).sort()).to.deep.equal(Array.from({ length: 30 }, (_, index) => messageOf(index * 10).data).sort());
      expect(await other.work.enqueueMany([[{ ...messageOf(5), id: 'again' }]], LIMITS)).to.deep.equal([{ ok: true, ids: ['m00005'] }]);
      await other.close();
    } finally {
      await one.close();
      await cleanup();
    }
  });

  withServer.it('is done by an engine that has just started, when the last snapshot is old', async () => {
    const { config, cleanup } = await freshConfig();
    try {
      const one = await open(config);
      await one.queue.changeSubscriptions([{ action: 'put', subscription }]);
      await work(one, 0, 100);
      await one.close();
      for (const most of [200, 30]) {
        const next = await open(config);
        expect(next.queue.replica.sinceSnapshot, 'entries that the start has read').to.be.within(1, most);
        next.queue.housekeeping.leastEntries = 50;
        next.queue.housekeeping.look();
        await next.queue.housekeeping.close();
        await next.close();
      }
    } finally {
      await cleanup();
    }
  });

  withServer.it('is done once by several engines that have just started', async () => {
    const { config, cleanup } = await freshConfig();
    const engines = [await open(config), await open(config)];
    try {
      const [one] = engines as [Engine];
      await one.queue.changeSubscriptions([{ action: 'put', subscription }]);
      await work(one, 0, 100);
      const made: (number | undefined)[] = [];
      for (const { queue: { housekeeping } } of engines) {
        housekeeping.leastEntries = 50;
        housekeeping.look();
        await housekeeping.close();
        made.push((await housekeeping.snapshots.newest())?.seq);
      }
      expect(made[0]).to.be.greaterThan(100);
      expect(made[1]).to.equal(made[0]);
    } finally {
      for (const engine of engines) await engine.close();
      await cleanup();
    }
  });

  withServer.it('leaves entries for which a power cut may make a snapshot go', async () => {
    const { config, cleanup } = await freshConfig();
    const one = await open(config);
    one.queue.housekeeping.snapshots.syncedMs = 60_000;
    try {
      await one.queue.changeSubscriptions([{ action: 'put', subscription }]);
      for (let round = 0; round < 3; round += 1) {
        await work(one, round * 10, 10);
        await one.queue.housekeeping.make();
      }
      const { state } = await streamInfo(config, 'queue');
      expect(state.subjects?.[`treadle.${config.name}.q.b`]).to.equal(30);
      const other = await open(config);
      expect(other.queue.replica.sinceSnapshot, 'entries that the start has read').to.be.below(10);
      await other.close();
    } finally {
      await one.close();
      await cleanup();
    }
  });

  withServer.it('is no harm to an engine that reads the queue meanwhile, and is not undone by an older snapshot', async () => {
    const { config, cleanup } = await freshConfig();
    const one = await open(config);
    const { load } = Snapshots.prototype;
    try {
      const { housekeeping } = one.queue;
      await one.queue.changeSubscriptions([{ action: 'put', subscription }]);
      await work(one, 0, 10);
      await housekeeping.make();
      await work(one, 10, 10);
      const before = copyOf(one.queue.machine);
      await work(one, 20, 10);
      Snapshots.prototype.load = async function loadSlowly(this: Snapshots) {
        Snapshots.prototype.load = load;
        const machine = await load.call(this);
        await housekeeping.snapshots.store(before);
        await housekeeping.make();
        return machine;
      };
      warnings.length = 0;
      const other = await open(config);
      expect(warnings.some((text) => text.startsWith('the queue is read anew')), warnings.join()).to.equal(true);
      expect((await other.operator.statistics()).map(({ waiting, active, dead }) => [waiting, active, dead])).to.deep.equal([[0, 0, 3]]);
      expect(await housekeeping.snapshots.store(before)).to.equal(0);
      expect((await housekeeping.snapshots.load()).seq).to.be.greaterThan(before.seq);
      await other.close();
    } finally {
      Snapshots.prototype.load = load;
      await one.close();
      await cleanup();
    }
  });

  withServer.it('is no harm to an engine that was away meanwhile: it reads the queue anew', async () => {
    const { config, cleanup } = await freshConfig();
    const [one, away] = [await open(config), await open(config)];
    try {
      await one.queue.changeSubscriptions([{ action: 'put', subscription }]);
      await away.operator.statistics();
      away.queue.replica.pause();
      for (let round = 0; round < 2; round += 1) {
        await work(one, round * 50, 50);
        await one.queue.housekeeping.make();
      }
      await one.work.enqueueMany([[messageOf(1_000)]], LIMITS);
      warnings.length = 0;
      await away.queue.replica.look(true);
      expect(warnings.some((text) => text.startsWith('the queue is read anew')), warnings.join()).to.equal(true);
      expect((await away.operator.statistics()).map(({ waiting, active, dead }) => [waiting, active, dead])).to.deep.equal([[1, 0, 10]]);
      expect((await away.work.claimMany([{ ...KEY, max: 5 }], 1_000)).map(({ messageId }) => messageId)).to.deep.equal(['m01000']);
    } finally {
      await away.close();
      await one.close();
      await cleanup();
    }
  });

  withServer.it('gives everything else when the server has lost a message', async () => {
    const { config, cleanup } = await freshConfig();
    const one = await open(config);
    try {
      await one.queue.changeSubscriptions([{ action: 'put', subscription }]);
      for (const index of [1, 2, 3]) await one.work.enqueueMany([[messageOf(index)]], LIMITS);
      const { replica, machine } = one.queue;
      const seq = [...machine.bodies.uses.keys()][1] ?? 0;
      await replica.log.remove(seq);
      replica.bodies.clear();
      const claims = await one.work.claimMany([{ ...KEY, max: 5 }], 60_000);
      const lost = `lost: message ${seq} of the stream treadle-${config.name}-queue is gone`;
      expect(claims.map(({ data }) => data)).to.deep.equal([messageOf(1).data, lost, messageOf(3).data]);
      await one.work.settleMany(claims.map((claim) => ({ action: 'dead', claim, progress: claim.progress, reason: 'invalid_input', at: Date.now() })));
      const page = await one.operator.deadLetters({}, { limit: 5 });
      expect(page.items.map(({ data }) => data)).to.deep.equal([messageOf(3).data, lost, messageOf(1).data]);
    } finally {
      await one.close();
      await cleanup();
    }
  });

  withServer.it('is left for good when an engine closes it', async () => {
    const { config, cleanup } = await freshConfig();
    const [one, other] = [await open(config), await open(config)];
    try {
      await one.queue.close();
      expect((await errorOf(one.queue.fresh())).message).to.equal('the queue is closed');
      expect([...(await other.queue.fresh()).members.living.keys()]).to.deep.equal([other.queue.writer.member]);
    } finally {
      await one.close();
      await other.close();
      await cleanup();
    }
  });

  withServer.it('frees what an engine has claimed by an entry that it has never seen', async () => {
    const { config, cleanup } = await freshConfig();
    const [one, other] = [await open(config), await open(config)];
    try {
      await other.queue.changeSubscriptions([{ action: 'put', subscription }]);
      await one.work.enqueueMany([[messageOf(1_000)]], LIMITS);
      one.queue.replica.pause();
      const claiming = errorOf(one.work.claimMany([{ ...KEY, max: 5 }], 60_000));
      await eventually('the claim is in the log', () => other.operator.statistics(), ([statistics]) => statistics?.active === 1);
      for (let round = 0; round < 2; round += 1) {
        await other.work.enqueueMany([[messageOf(round)]], LIMITS);
        await other.queue.housekeeping.make();
      }
      await one.queue.replica.look(true);
      expect((await claiming).code).to.equal('StorageUnavailable');
      await eventually('the claim is free', () => other.operator.statistics(), ([statistics]) => statistics?.active === 0);
      expect(other.queue.machine.members.has(one.queue.writer.member)).to.equal(true);
    } finally {
      await one.close();
      await other.close();
      await cleanup();
    }
  });

  withServer.it('is what the log says, also when a power cut has taken the last of it', async () => {
    const { config, cleanup } = await freshConfig();
    const one = await open(config);
    try {
      await one.queue.changeSubscriptions([{ action: 'put', subscription }]);
      await one.work.enqueueMany([[messageOf(1)]], LIMITS);
      await one.work.enqueueMany([[messageOf(2)]], LIMITS);
      const { replica, machine } = one.queue;
      const [first, second] = [...machine.bodies.uses.keys()];
      replica.pause();
      for (let seq = (first ?? 0) + 1; seq <= machine.seq; seq += 1) await replica.log.remove(seq);
      expect(second).to.be.at.most(machine.seq);
      await replica.look(true);
      expect((await one.operator.peek(KEY, 10)).map(({ messageId }) => messageId)).to.deep.equal(['m00001']);
      expect(await one.work.enqueueMany([[messageOf(2)]], LIMITS)).to.deep.equal([{ ok: true, ids: ['m00002'] }]);
    } finally {
      await one.close();
      await cleanup();
    }
  });
});
