import type { StreamAdapter, StreamEvent } from '@treadle/api';
import { errorOf, eventually } from '@treadle/testing';
import { expect } from 'chai';
import { REDIS_DEFAULTS } from '../store/store.config.js';
import { startEngine, withServer } from '../testing/kit.fixture.js';
import { DURABLE, startRedis } from '../testing/server.fixture.js';

const GROUP = { stream: 's', groupId: 'g' };

withServer.describe('streams over a kill of the server', () => {
  withServer.it('keep every acknowledged item, begin a new epoch, and go on telling of the groups that are followed', async () => {
    const server = await startRedis(DURABLE);
    const config = { ...REDIS_DEFAULTS, port: server.port };
    const engines = await Promise.all([1, 2].map(() => startEngine<StreamAdapter>('stream', config)));
    const [one, other] = engines.map(({ adapter }) => adapter) as [StreamAdapter, StreamAdapter];
    const told: StreamEvent[] = [];
    const epochs: string[] = [];
    const set = (id: string): Promise<unknown> => one.write({ ...GROUP, id, next: () => ({ action: 'set', value: id }) });
    try {
      other.watch((event) => void told.push(event));
      await other.shared?.follow(GROUP, (epoch) => void epochs.push(epoch));
      for (let count = 0; count < 10; count += 1) await set(`before ${count}`);
      const { epoch, seq } = (await one.snapshot(GROUP)).position;
      await server.crash();
      expect(await errorOf(set('away'))).to.have.property('code', 'StorageUnavailable');
      await server.resume();
      await eventually('word of another epoch, before anything happens in it', () => epochs.length, Boolean, 60_000);
      await eventually('the server', () => set('after').then(() => true, () => false), Boolean, 60_000);
      const { items, position } = await other.snapshot(GROUP);
      expect(items.map(({ id }) => id)).to.deep.equal([...Array.from({ length: 10 }, (_, count) => `before ${count}`), 'after']);
      expect([position.epoch === epoch, position.seq > seq]).to.deep.equal([false, true]);
      expect(await other.shared?.eventsAfter(GROUP, { epoch, seq: 1 }, 100), 'a position of the old epoch').to.equal(undefined);
      await eventually('the event of another engine', () => told.at(-1)?.id === 'after', Boolean, 60_000);
      expect(epochs).to.deep.equal([position.epoch]);
      expect(told.at(-1)).to.include({ epoch: position.epoch, seq: position.seq });
      expect(new Set(told.map(({ id }) => id)).size, 'nothing twice').to.equal(told.length);
    } finally {
      await Promise.all(engines.map((engine) => engine.stop()));
      await server.stop();
    }
  });
});
