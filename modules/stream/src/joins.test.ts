import { expect } from 'chai';
import { until, World, type WorldOptions } from './stream.fixture.js';

const GROUP = { stream: 'board', groupId: 'g' };

describe('clients of streams', () => {
  let world: World;
  const start = async (options: WorldOptions = {}): Promise<World> => (world = await World.start(options));
  afterEach(() => world.stop());

  it('get the items of a group and then what happens to them, in the wire\'s form', async () => {
    await start();
    await world.port.set(GROUP, 'b', { n: 1 });
    await world.port.set(GROUP, 'a', 'text');
    const client = await world.connect();
    const sync = await client.join('g');
    const { epoch, timestamp } = sync;
    expect(epoch).to.be.a('string');
    expect(timestamp).to.be.a('number');
    expect(sync).to.deep.equal({
      type: 'stream', timestamp, streamName: 'board', groupId: 'g', epoch, seq: 2, subscriptionId: 's',
      event: { type: 'sync', data: [{ n: 1, id: 'b' }, 'text'], ids: ['b', 'a'] },
    });
    await world.port.update(GROUP, 'b', [{ type: 'increment', path: 'n' }]);
    await world.port.delete(GROUP, 'b');
    await world.port.set(GROUP, 'c', { id: 'other' });
    await world.port.send(GROUP, { type: 'typing', data: { who: 'x' } });
    await until(() => client.messages.length === 5);
    expect(client.brief().slice(1)).to.deep.equal([
      [3, 'update', 'b', { n: 2, id: 'b' }], [4, 'delete', 'b', { n: 2, id: 'b' }], [5, 'create', 'c', { id: 'c' }],
      [6, 'event', undefined, { type: 'typing', data: { who: 'x' } }],
    ]);
    expect(client.messages.every((message) => message.epoch === epoch && message.subscriptionId === 's')).to.equal(true);
  });

  it('may follow one item', async () => {
    await start();
    const client = await world.connect();
    expect((await client.join('g', { id: 'a' })).event).to.deep.equal({ type: 'sync', data: null, ids: [] });
    await world.port.set(GROUP, 'b', 1);
    await world.port.set(GROUP, 'a', { n: 1 });
    await world.port.send({ ...GROUP }, { id: 'a', type: 'seen', data: 1 });
    await world.port.send({ ...GROUP }, { type: 'to all', data: 1 });
    await until(() => client.messages.length === 3);
    expect(client.brief().slice(1)).to.deep.equal([[2, 'create', 'a', { n: 1, id: 'a' }], [3, 'event', 'a', { type: 'seen', data: 1 }]]);
    expect((await (await world.connect()).join('g', { id: 'a' })).event).to.deep.equal({ type: 'sync', data: { n: 1, id: 'a' }, ids: ['a'] });
  });

  it('hear nothing more of what they left', async () => {
    await start();
    const client = await world.connect();
    await client.join('g');
    await client.join('h', { subscriptionId: 't' });
    client.leave();
    client.leave('unknown');
    client.send({ type: 'join', data: { subscriptionId: 'u', streamName: 'board', groupId: 'i' } });
    await client.next();
    await world.port.set(GROUP, 'a', 1);
    await world.port.set({ stream: 'board', groupId: 'h' }, 'a', 1);
    await until(() => client.messages.length === 4);
    expect(client.messages.map(({ subscriptionId }) => subscriptionId)).to.deep.equal(['s', 't', 'u', 't']);
  });

  it('resume where they were, while it is known', async () => {
    await start({ config: { retained_events: 3 } });
    const client = await world.connect();
    const { epoch } = await client.join('g');
    for (let count = 1; count <= 5; count++) await world.port.set(GROUP, `${count}`, count);
    await until(() => client.messages.length === 6);
    client.socket.terminate();
    for (let count = 6; count <= 7; count++) await world.port.set(GROUP, `${count}`, count);
    const resumed = await world.connect();
    await resumed.join('g', { epoch, lastSeq: 5 });
    await resumed.next();
    await world.port.set(GROUP, '8', 8);
    await resumed.next();
    expect(resumed.brief()).to.deep.equal([[6, 'create', '6', 6], [7, 'create', '7', 7], [8, 'create', '8', 8]]);
    for (const from of [{ epoch, lastSeq: 4 }, { epoch, lastSeq: 99 }, { epoch: 'other', lastSeq: 7 }, { epoch }, { lastSeq: 7 }]) {
      const late = await world.connect();
      const first = await late.join('g', from);
      expect([first.event.type, first.seq], JSON.stringify(from)).to.deep.equal(['sync', 8]);
    }
  });

  it('miss nothing and get nothing twice when they join in the middle of writes', async () => {
    await start({ streams: { board: { canAccess: async () => new Promise((resolve) => setTimeout(() => resolve(true), 2)) } } });
    let writing = true;
    const writes = (async () => {
      for (let count = 1; writing; count++) {
        await Promise.all([world.port.set(GROUP, `${count % 7}`, count), world.port.send(GROUP, { type: 'e', data: count })]);
        if (count % 5 === 0) await world.port.delete(GROUP, `${count % 3}`);
      }
    })();
    const clients = await Promise.all(Array.from({ length: 20 }, () => world.connect()));
    for (const client of clients) {
      void client.join('g');
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await until(() => clients.every(({ messages }) => messages.length > 50));
    writing = false;
    await writes;
    const final = await (await world.connect()).join('g');
    await until(() => clients.every(({ messages }) => messages.at(-1)?.seq === final.seq));
    for (const { messages } of clients) {
      const [sync, ...events] = messages;
      if (sync?.event.type !== 'sync') throw new Error('the first message is no sync');
      expect(events.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: events.length }, (_, index) => sync.seq + 1 + index));
      const items = new Map((sync.event.ids as string[]).map((id, index) => [id, (sync.event.data as unknown[])[index]]));
      for (const { id = '', event } of events) {
        if (event.type === 'delete') expect(items.delete(id)).to.equal(true);
        else if (event.type !== 'event') items.set(id, event.data);
      }
      expect([...items]).to.deep.equal((final.event.ids ?? []).map((id, index) => [id, (final.event.data as unknown[])[index]]));
    }
  });

  it('are told what is wrong with their messages, and may go on', async () => {
    await start({ config: { max_subscriptions: 2 } });
    const client = await world.connect();
    const join = (data: unknown): object => ({ type: 'join', data });
    const good = { subscriptionId: 'a', streamName: 'board', groupId: 'g' };
    for (const message of ['{', '1', 'null', '{"type":"x"}', join(null), join({}), join({ ...good, groupId: '' }), join({ ...good, id: 5 }),
      join({ ...good, lastSeq: -1 }), join({ ...good, epoch: 1 }), join({ ...good, streamName: 'none' }), join(good), join(good),
      join({ ...good, subscriptionId: 'b' }), join({ ...good, subscriptionId: 'c' })]) {
      client.send(message);
      await client.next();
    }
    expect(client.messages.map(({ type, code, message, event }) => (type === 'error' ? `${code}: ${message}` : event.type))).to.deep.equal([
      'bad_message: the message is no JSON', 'bad_message: type must be "join" or "leave"', 'bad_message: type must be "join" or "leave"',
      'bad_message: type must be "join" or "leave"', 'bad_message: data must be an object', 'bad_message: data.subscriptionId must be text, got undefined',
      'bad_message: data.groupId must not be empty', 'bad_message: data.id must be text, got number', 'bad_message: data.lastSeq must be a whole number from 0',
      'bad_message: data.epoch must be text that a message had', 'unknown_stream: there is no stream "none"', 'sync',
      'subscription_exists: this connection has a subscription with this id; leave it first', 'sync', 'too_many_subscriptions: a connection may have 2 subscriptions',
    ]);
  });

  it('take names of any kind as data', async () => {
    await start({ streams: { board: {}, __proto__x: {} } });
    for (const name of ['__proto__', 'constructor', 'g:h', '😀', '"']) {
      await world.port.set({ stream: 'board', groupId: name }, name, { [name]: 1 });
      const client = await world.connect();
      const sync = await client.join(name, { subscriptionId: name });
      expect(sync.subscriptionId).to.equal(name);
      expect(sync.event.ids).to.deep.equal([name]);
      expect(Object.entries((sync.event.data as object[])[0] ?? {})).to.deep.include([name, 1]);
    }
  });

  it('are told of the end of the engine and closed with 1012', async () => {
    await start();
    const client = await world.connect();
    await client.join('g');
    await world.test.stop();
    expect(await client.closed).to.equal(1012);
    expect(client.brief().at(-1)).to.equal('draining');
  });
});
