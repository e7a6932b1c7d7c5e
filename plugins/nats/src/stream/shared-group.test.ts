import type { Logger, StreamAdapter, StreamEvent } from '@treadle/api';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { JetLog, Stored } from '../store/jet-log.js';
import { NatsStore } from '../store/nats-store.js';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { SharedGroup } from './shared-group.js';

const GROUP = { stream: 's', groupId: 'g' };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Logger;
/** More events than a group keeps. */
const MANY = 1_200;

/** A group as two engines know it, over one log. */
interface TwoSides {
  readonly log: JetLog;
  readonly subject: string;
  readonly one: SharedGroup;
  readonly other: SharedGroup;
  /** Positions that the watchers of the other one were told. */
  readonly told: readonly number[];
}

async function withTwoSides(body: (sides: TwoSides) => Promise<void>): Promise<void> {
  const { config, cleanup } = await freshConfig();
  const store = await NatsStore.open({ config, clock: fakeClock(Date.now()), log: silent, engine: 'e1' });
  const log = await store.log('streams', 'e');
  const subject = `${store.prefix}.e.s.g`;
  const told: number[] = [];
  const group = (tell: (event: StreamEvent) => void): SharedGroup => (
    new SharedGroup(GROUP, subject, { log, epoch: log.created, now: () => store.time.now(), tell, stored: () => undefined }));
  try {
    await body({ log, subject, one: group(() => undefined), other: group(({ seq }) => void told.push(seq)), told });
  } finally {
    await store.close();
    await cleanup();
  }
}

const set = (group: SharedGroup, id: string): Promise<unknown> => group.run({ write: { ...GROUP, id, next: () => ({ action: 'set', value: id }) } });
const remove = (group: SharedGroup, id: string): Promise<unknown> => group.run({ write: { ...GROUP, id, next: () => ({ action: 'delete' }) } });
const idsOf = async (group: SharedGroup): Promise<readonly string[]> => (await group.fresh()).listed().map(({ id }) => id);

async function sendMany(group: SharedGroup): Promise<void> {
  await Promise.all(Array.from({ length: MANY }, (_, data) => group.run({ send: { type: 'e', data } })));
}

/** The log, where something happens before the first message of a read is given. */
function logWith(log: JetLog, meanwhile: (first: Stored) => Promise<void>): void {
  const read = log.read.bind(log);
  let done = false;
  log.read = async function* withMeanwhile(range) {
    for await (const message of read(range)) {
      yield message;
      if (done) continue;
      done = true;
      await meanwhile(message);
    }
  };
}

withServer.describe('a group of a stream', () => {
  withServer.it('goes on where the server has lost its messages', async () => {
    const { config, cleanup } = await freshConfig();
    const { adapter, stop } = await startEngine<StreamAdapter>('stream', config);
    const events: StreamEvent[] = [];
    adapter.watch((event) => void events.push(event));
    const set = (id: string): Promise<unknown> => adapter.write({ ...GROUP, id, next: () => ({ action: 'set', value: id }) });
    await adapter.shared?.follow(GROUP);
    for (const id of ['a', 'b', 'c']) await set(id);
    const connection = await connect({ servers: config.url });
    await (await jetstreamManager(connection)).streams.purge(`treadle-${config.name}-streams`);
    await connection.close();
    expect((await adapter.snapshot(GROUP)).items).to.deep.equal([]);
    await set('d');
    expect((await adapter.snapshot(GROUP)).items.map(({ id }) => id)).to.deep.equal(['d']);
    expect(events.map(({ id }) => id)).to.deep.equal(['a', 'b', 'c', 'd']);
    await stop();
    await cleanup();
  });

  withServer.it('is read whole by an engine that did not know it, however many messages it has', async () => {
    const { config, cleanup } = await freshConfig();
    const [one, other] = await Promise.all([startEngine<StreamAdapter>('stream', config), startEngine<StreamAdapter>('stream', config)]);
    const value = 'x'.repeat(20_000);
    const ids = Array.from({ length: 80 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => one.adapter.write({ ...GROUP, id, next: () => ({ action: 'set', value }) })));
    expect((await other.adapter.snapshot(GROUP)).items.map(({ id }) => id)).to.deep.equal(ids);
    await Promise.all([one.stop(), other.stop()]);
    await cleanup();
  });

  withServer.it('has no item any more whose deletion is no longer in the log', () => withTwoSides(async ({ log, one, other }) => {
    await set(one, 'x');
    await set(one, 'y');
    expect(await idsOf(other)).to.deep.equal(['x', 'y']);
    await remove(one, 'x');
    await sendMany(one);
    await one.tidy(0);
    expect([await log.at(1), await log.at(3)], 'removed').to.deep.equal([undefined, undefined]);
    expect(await idsOf(other)).to.deep.equal(['y']);
    await set(other, 'z');
    expect(await idsOf(one)).to.deep.equal(['y', 'z']);
  }));

  withServer.it('tells whoever follows it what is left of the events that did not come, each once', () => withTwoSides(async ({ one, other, told }) => {
    await set(one, 'x');
    await other.follow();
    await remove(one, 'x');
    await sendMany(one);
    await one.tidy(0);
    const { seq } = await other.fresh();
    await set(one, 'y');
    expect(await idsOf(other)).to.deep.equal(['y']);
    expect(told.at(-1)).to.equal(seq + 1);
    expect(told).to.deep.equal(Array.from({ length: told.length }, (_, index) => seq + 2 - told.length + index));
  }));

  withServer.it('is read again where an item and its deletion are removed while it is read', () => withTwoSides(async ({ log, one, other }) => {
    await set(one, 'x');
    for (let index = 0; index < 40; index += 1) await set(one, `${index}`.padStart(2, '0') + 'x'.repeat(20_000));
    await remove(one, 'x');
    await sendMany(one);
    logWith(log, () => one.tidy(0));
    const ids = await idsOf(other);
    expect(ids).to.not.include('x');
    expect(ids).to.deep.equal(await idsOf(one));
  }));
});
