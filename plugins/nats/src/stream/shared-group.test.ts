import type { StreamAdapter, StreamEvent } from '@treadle/api';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';

const GROUP = { stream: 's', groupId: 'g' };

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
});
