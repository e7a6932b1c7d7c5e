import { expect } from 'chai';
import { type FakeSocket, fakeServer, turns } from './fake-server.fixture.js';
import { StreamClient, type StreamSignal, type StreamSubscription } from './index.js';

const TARGET = { streamName: 'board', groupId: 'g' };

describe('StreamClient', () => {
  let client: StreamClient;
  let sockets: FakeSocket[];
  const start = (): StreamSubscription => {
    const server = fakeServer();
    sockets = server.sockets;
    client = new StreamClient({ url: 'ws://x', WebSocket: server.WebSocket, minDelayMs: 2, maxDelayMs: 4 });
    return client.subscribe(TARGET);
  };
  const connect = async (): Promise<FakeSocket> => {
    const count = sockets.length;
    while (sockets.length === 0 || (count > 0 && sockets.length === count && client.status !== 'connecting')) await turns(1);
    const socket = sockets.at(-1) as FakeSocket;
    socket.open();
    return socket;
  };
  const next = async (before: number): Promise<FakeSocket> => {
    while (sockets.length === before) await turns(1);
    const socket = sockets[before] as FakeSocket;
    socket.open();
    return socket;
  };
  afterEach(() => client.close());

  it('keeps the items of a group up to date', async () => {
    const board = start();
    expect(board.view).to.deep.equal({ items: [], status: 'connecting' });
    const socket = await connect();
    expect(socket.sent).to.deep.equal([{ type: 'join', data: { subscriptionId: 's1', ...TARGET } }]);
    socket.event(3, { type: 'sync', data: [{ n: 1, id: 'b' }, 'text'], ids: ['b', 'a'] });
    await board.ready();
    socket.event(4, { type: 'create', data: { n: 2, id: 'c' } }, { id: 'c' });
    socket.event(5, { type: 'update', data: 'new' }, { id: 'a' });
    socket.event(6, { type: 'delete', data: { n: 1, id: 'b' } }, { id: 'b' });
    expect(board.view).to.deep.equal({ items: [{ id: 'a', data: 'new' }, { id: 'c', data: { n: 2, id: 'c' } }], status: 'live' });
  });

  it('asks for what it missed after a cut, and drops what it has', async () => {
    const board = start();
    const seen: StreamSignal[] = [];
    board.onEvent((signal) => seen.push(signal));
    (await connect()).event(3, { type: 'sync', data: [], ids: [] });
    sockets[0]?.event(4, { type: 'event', event: { type: 'a', data: 1 } });
    sockets[0]?.cut();
    expect(board.status).to.equal('connecting');
    const second = await next(1);
    expect(second.sent).to.deep.equal([{ type: 'join', data: { subscriptionId: 's1', ...TARGET, epoch: 'e', lastSeq: 4 } }]);
    expect(board.status).to.equal('live');
    for (const seq of [3, 4, 5, 5, 6]) second.event(seq, { type: 'event', event: { type: 'a', data: seq } });
    expect(seen.map(({ data }) => data)).to.deep.equal([1, 5, 6]);
    sockets[0]?.event(7, { type: 'event', event: { type: 'a', data: 'of the old connection' } });
    expect(seen).to.have.length(3);
  });

  it('starts over when the epoch changes', async () => {
    const board = start();
    const socket = await connect();
    socket.event(3, { type: 'sync', data: [1], ids: ['a'] });
    socket.event(1, { type: 'create', data: 2 }, { id: 'b', epoch: 'f' });
    expect(socket.sent.slice(1)).to.deep.equal([
      { type: 'leave', data: { subscriptionId: 's1' } }, { type: 'join', data: { subscriptionId: 's1', ...TARGET } },
    ]);
    socket.event(1, { type: 'sync', data: [2], ids: ['b'] }, { epoch: 'f' });
    expect(board.items).to.deep.equal([{ id: 'b', data: 2 }]);
  });

  it('tells of refusals, and asks again with the next connection', async () => {
    const board = start();
    (await connect()).event(0, { type: 'unauthorized' }, { epoch: '' });
    expect(board.status).to.equal('unauthorized');
    expect(await board.ready().catch((error: Error) => error.message)).to.equal('the subscription to board/g is unauthorized');
    sockets[0]?.cut();
    const second = await next(1);
    expect(second.sent).to.deep.equal([{ type: 'join', data: { subscriptionId: 's1', ...TARGET } }]);
  });

  it('tries again when nobody can decide, and gives up when the server cannot serve it', async () => {
    const board = start();
    const socket = await connect();
    socket.tell({ type: 'error', code: 'unavailable', message: 'later', subscriptionId: 's1' });
    while (socket.sent.length < 2) await turns(1);
    expect(socket.sent[1]?.type).to.equal('join');
    socket.tell({ type: 'error', code: 'too_many_subscriptions', message: 'too many', subscriptionId: 's1' });
    expect(board.view).to.deep.equal({ items: [], status: 'failed', error: { code: 'too_many_subscriptions', message: 'too many' } });
    for (const noise of ['{', '1', '{"type":"other"}', '{"type":"error","code":"draining","message":"x"}', '{"type":"stream","subscriptionId":"none"}']) socket.tell(noise);
  });

  it('asks once on each connection, also when it was about to ask again on the one before', async () => {
    const server = fakeServer();
    sockets = server.sockets;
    // The pause before asking again is longer than the one before the next connection.
    const chances = [1, 0];
    client = new StreamClient({ url: 'ws://x', WebSocket: server.WebSocket, minDelayMs: 100, maxDelayMs: 100, random: () => chances.shift() ?? 0 });
    client.subscribe(TARGET);
    const first = await connect();
    first.tell({ type: 'error', code: 'unavailable', message: 'later', subscriptionId: 's1' });
    first.cut();
    const second = await next(1);
    await turns(100);
    expect(second.sent).to.deep.equal([{ type: 'join', data: { subscriptionId: 's1', ...TARGET } }]);
  });

  it('follows one item, and hears nothing after it was closed', async () => {
    start().close();
    const item = client.subscribe({ ...TARGET, id: 'a' });
    const socket = await connect();
    expect(socket.sent).to.deep.equal([{ type: 'join', data: { subscriptionId: 's2', ...TARGET, id: 'a' } }]);
    socket.event(1, { type: 'sync', data: null, ids: [] }, { id: 'a', subscriptionId: 's2' });
    expect(item.items).to.deep.equal([]);
    socket.event(2, { type: 'create', data: 1 }, { id: 'a', subscriptionId: 's2' });
    expect(item.items).to.deep.equal([{ id: 'a', data: 1 }]);
    item.close();
    socket.event(3, { type: 'update', data: 2 }, { id: 'a', subscriptionId: 's2' });
    expect(item.view).to.deep.equal({ items: [{ id: 'a', data: 1 }], status: 'closed' });
    expect(socket.sent.at(-1)).to.deep.equal({ type: 'leave', data: { subscriptionId: 's2' } });
  });

  it('asks for the address before each connection and survives one that cannot be had', async () => {
    let asked = 0;
    const server = fakeServer();
    sockets = server.sockets;
    client = new StreamClient({
      WebSocket: server.WebSocket, minDelayMs: 1, maxDelayMs: 1,
      url: async () => {
        asked += 1;
        if (asked === 1) throw new Error('no ticket');
        return Promise.resolve(`ws://x?ticket=${asked}`);
      },
    });
    client.subscribe(TARGET);
    expect((await next(0)).url).to.equal('ws://x?ticket=2');
    sockets[0]?.cut();
    expect((await next(1)).url).to.equal('ws://x?ticket=3');
  });

  for (const [url, problem] of [
    ['localhost:3112', 'got "localhost:3112"'], ['not a url', 'got "not a url"'], ['', 'got ""'], ['/streams', 'got "/streams"'], ['ftp://x', 'got "ftp://x"'],
    ['//x?ticket=7', 'got "//x"'], [undefined, 'got undefined'], [7, 'got 7'],
  ] as [string, string][]) {
    it(`refuses the address ${String(url)} at once`, () => {
      start();
      expect(() => new StreamClient({ url })).to.throw(TypeError, `url must be an address such as "ws://127.0.0.1:3112", ${problem}`);
    });
  }

  it('takes the schemes of pages as those of sockets', async () => {
    const { WebSocket, sockets: made } = fakeServer();
    sockets = made;
    for (const [url, address] of [['http://x:1/a?b', 'ws://x:1/a?b'], ['HTTPS://x/', 'wss://x/'], ['wss://x', 'wss://x']] as const) {
      client = new StreamClient({ url, WebSocket });
      client.subscribe(TARGET);
      expect(sockets.pop()?.url).to.equal(address);
      client.close();
    }
  });

  it('fails, and does not try again, while the function gives a bad address', async () => {
    const server = fakeServer();
    sockets = server.sockets;
    const given = ['', 'ws://x'];
    client = new StreamClient({ url: () => given.shift() as string, WebSocket: server.WebSocket, minDelayMs: 1, maxDelayMs: 1 });
    const first = client.subscribe(TARGET);
    const problem = 'url must be an address such as "ws://127.0.0.1:3112", got ""';
    expect(await first.ready().catch((error: Error) => error.message)).to.equal(`the subscription to board/g is failed: ${problem}`);
    expect(first.view).to.deep.equal({ items: [], status: 'failed', error: { code: 'bad_url', message: problem } });
    await turns();
    expect([client.status, given.length]).to.deep.equal(['idle', 1]);
    client.subscribe(TARGET);
    expect((await next(0)).sent.map(({ data }) => data['subscriptionId']), 'both join with the next connection').to.deep.equal(['s1', 's2']);
  });

  it('fails when the runtime refuses the address', async () => {
    start();
    class Refusing { constructor() { throw new Error('an insecure connection from a secure page'); } }
    const refused = new StreamClient({ url: 'ws://x', WebSocket: Refusing as never });
    const board = refused.subscribe(TARGET);
    await turns();
    expect([board.status, board.view.error?.message, refused.status]).to.deep.equal(['failed', 'an insecure connection from a secure page', 'idle']);
  });

  it('refuses to subscribe in a runtime without WebSocket', () => {
    start();
    const own = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
    delete (globalThis as { WebSocket?: unknown }).WebSocket;
    try {
      expect(() => new StreamClient({ url: 'ws://x' }).subscribe(TARGET)).to.throw('this runtime has no WebSocket; pass one: new StreamClient({ url, WebSocket })');
    } finally {
      if (own) Object.defineProperty(globalThis, 'WebSocket', own);
    }
  });

  it('waits longer and longer, and never more than it may', async () => {
    const { ReconnectDelay } = await import('./reconnect-delay.js');
    const delay = new ReconnectDelay({ minDelayMs: 100, maxDelayMs: 1000, random: () => 1 });
    expect([delay.next(), delay.next(), delay.next(), delay.next(), delay.next()]).to.deep.equal([100, 200, 400, 800, 1000]);
    delay.reset();
    expect(delay.next()).to.equal(100);
    expect(new ReconnectDelay({ minDelayMs: 100, random: () => 0 }).next()).to.equal(50);
    start();
  });

  it('serves nothing after it was closed', async () => {
    const board = start();
    const socket = await connect();
    client.close();
    expect([client.status, board.status, socket.isClosed]).to.deep.equal(['closed', 'closed', true]);
    expect(() => client.subscribe(TARGET)).to.throw('the client is closed');
    socket.cut();
    await turns();
    expect(sockets).to.have.length(1);
  });
});
