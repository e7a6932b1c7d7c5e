import { expect } from 'chai';
import { until, World, type WorldOptions } from './stream.fixture.js';

const PUBLIC = { host: '0.0.0.0' };

describe('access to streams', () => {
  let world: World;
  const start = async (options: WorldOptions = {}): Promise<World> => (world = await World.start(options));
  afterEach(() => world.stop());

  it('is decided by authenticate at the upgrade: a value, null or a throw', async () => {
    const asked: unknown[] = [];
    await start({
      authenticate: ({ headers, query }) => {
        asked.push([headers['authorization'], query['q']]);
        if (query['q'] === 'throw') throw new Error('no');
        return headers['authorization'] ? { user: headers['authorization'] } : null;
      },
    });
    expect(await world.refusal()).to.equal(401);
    expect(await world.refusal({ path: '/x?q=throw', headers: { authorization: 'a' } })).to.equal(401);
    expect((await (await world.connect({ headers: { authorization: 'a' }, path: '/?q=1&q=2' })).join('g')).event.type).to.equal('sync');
    expect(asked).to.deep.equal([[undefined, undefined], ['a', 'throw'], ['a', '2']]);
  });

  it('is refused with 503 when nobody runs a declared authenticate in time', async () => {
    await start({ authenticate: () => 1, noWorker: true, config: { join_wait_ms: 50 } });
    expect(await world.refusal()).to.equal(503);
    world.attach();
    expect(await world.refusal()).to.equal(101);
  });

  it('waits for who runs a declared authenticate', async () => {
    await start({ authenticate: () => 1, noWorker: true });
    const connecting = world.refusal();
    setTimeout(() => world.attach(), 20);
    expect(await connecting).to.equal(101);
  });

  it('waits for a catalog that is not whole yet, so that no stream is unknown and nobody comes in unseen', async () => {
    await start({ streams: {}, authenticate: () => null });
    const { catalog } = world.test.engine.dispatch;
    catalog.settle(false);
    world.publish(false);
    const connecting = world.refusal();
    setTimeout(() => {
      world.publish(true);
      world.attach();
      catalog.settle(true);
    }, 20);
    expect(await connecting).to.equal(401);
  });

  it('is refused with 503 when the catalog does not become whole in time', async () => {
    await start({ config: { join_wait_ms: 50 } });
    world.test.engine.dispatch.catalog.settle(false);
    expect(await world.refusal()).to.equal(503);
  });

  it('is asked for again once there is an authenticate', async () => {
    await start({ authenticate: () => null, noWorker: true });
    world.publish(false);
    const client = await world.connect();
    await client.join('g');
    world.publish();
    world.attach();
    expect(await client.closed).to.equal(1012);
    expect(await world.refusal()).to.equal(401);
  });

  it('is decided by canAccess at each join: only true lets in', async () => {
    const answers: Record<string, unknown> = { yes: true, no: false, one: 1, text: 'true', nothing: undefined };
    await start({
      authenticate: () => ({ user: 'u' }),
      streams: {
        board: {
          canAccess: ({ groupId }, auth) => {
            expect(auth).to.deep.equal({ user: 'u' });
            if (groupId === 'throws') throw new Error('no');
            return answers[groupId];
          },
        },
      },
    });
    const client = await world.connect();
    for (const group of [...Object.keys(answers), 'throws']) {
      const first = await client.join(group, { subscriptionId: group });
      expect([first.subscriptionId, first.event.type]).to.deep.equal([group, group === 'yes' ? 'sync' : 'unauthorized']);
    }
    await world.port.set({ stream: 'board', groupId: 'no' }, 'a', 1);
    await world.port.set({ stream: 'board', groupId: 'yes' }, 'a', 1);
    expect((await client.next()).groupId).to.equal('yes');
  });

  it('waits for who runs canAccess', async () => {
    await start({ streams: { board: { canAccess: () => true } }, noWorker: true });
    const client = await world.connect();
    const joining = client.join('g');
    setTimeout(() => world.attach(), 20);
    expect((await joining).event.type).to.equal('sync');
  });

  it('sends a client away to come back when nobody runs canAccess in time', async () => {
    await start({ streams: { board: { canAccess: () => true } }, noWorker: true, config: { join_wait_ms: 50 } });
    const client = await world.connect();
    expect((await client.join('g')).code).to.equal('unavailable');
    expect(await client.closed).to.equal(1013);
    world.attach();
    expect((await (await world.connect()).join('g')).event.type).to.equal('sync');
  });

  /** What the catalog brings is looked at in the next turn. */
  const told = (): Promise<void> => new Promise((resolve) => { setImmediate(() => setImmediate(resolve)); });

  it('fails closed on an address that others reach: starts, warns, refuses joins', async () => {
    await start({ config: PUBLIC });
    await told();
    expect(world.test.logs.filter(({ level, message }) => level === 'warn' && message.startsWith('streams')).map(({ message }) => message)).to.deep.equal([
      'streams that have neither authenticate nor canAccess refuse all joins on this address',
    ]);
    expect((await (await world.connect()).join('g')).event.type).to.equal('unauthorized');
  });

  it('says nothing there of streams that all have canAccess', async () => {
    await start({ streams: { board: { canAccess: () => true } }, config: PUBLIC });
    await told();
    expect(world.test.logs.filter(({ level, message }) => level === 'warn' && message.startsWith('streams'))).to.deep.equal([]);
  });

  it('is open there with auth: none, and with a warning', async () => {
    await start({ config: { ...PUBLIC, auth: 'none' } });
    await told();
    expect(world.test.logs.filter(({ level, message }) => level === 'warn' && message.startsWith('streams'))).to.have.length(1);
    expect((await (await world.connect()).join('g')).event.type).to.equal('sync');
  });

  it('is open there to whom authenticate or canAccess lets in', async () => {
    await start({ config: PUBLIC, authenticate: () => 'u', streams: { board: {}, closed: { canAccess: () => false } } });
    const client = await world.connect();
    expect((await client.join('g')).event.type).to.equal('sync');
    expect((await client.join('g', { streamName: 'closed', subscriptionId: 't' })).event.type).to.equal('unauthorized');
  });

  it('tells onJoin and onLeave of every join, in this order', async () => {
    const told: unknown[] = [];
    await start({
      authenticate: () => 'u',
      streams: {
        board: {
          onJoin: async ({ groupId }: { groupId?: string }, auth) => {
            await new Promise((resolve) => setTimeout(resolve, 10));
            told.push(['join', groupId, auth]);
          },
          onLeave: ({ groupId }: { groupId?: string }) => told.push(['leave', groupId]),
        },
      },
    });
    const client = await world.connect();
    await client.join('g');
    client.leave();
    await client.join('h');
    client.socket.terminate();
    await until(() => told.length === 4);
    expect(told.filter((entry) => (entry as string[])[1] === 'g')).to.deep.equal([['join', 'g', 'u'], ['leave', 'g']]);
    expect(told.filter((entry) => (entry as string[])[1] === 'h')).to.deep.equal([['join', 'h', 'u'], ['leave', 'h']]);
  });

  it('depends on the origin of a page and on the host that it names', async () => {
    await start();
    const of = (headers: Record<string, string>): Promise<number> => world.refusal({ headers });
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:9']) expect(await of({ origin }), origin).to.equal(101);
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1.evil', 'file://', 'http://localhost.evil', 'chrome-extension://localhost']) {
      expect(await of({ origin }), origin).to.equal(403);
    }
    for (const host of ['evil.example', 'evil.example:3112', '127.0.0.1.evil']) expect(await of({ host }), host).to.equal(403);
    for (const host of ['localhost', '[::1]:3112', '127.0.0.1:1']) expect(await of({ host }), host).to.equal(101);
  });

  it('depends on allowed_origins where they are written, and is for no page elsewhere', async () => {
    await start({ config: { allowed_origins: ['https://app.example'] } });
    expect(await world.refusal({ origin: 'https://app.example', headers: { host: 'app.example' } })).to.equal(101);
    for (const origin of ['http://localhost:3000', 'https://app.example:444', 'https://x.app.example']) expect(await world.refusal({ origin })).to.equal(403);
    await world.stop();
    await start({ config: PUBLIC });
    expect(await world.refusal({ origin: 'http://localhost' })).to.equal(403);
    expect(await world.refusal({ headers: { host: 'streams.example' } })).to.equal(101);
  });
});
