import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamClient, type StreamSubscription, type WebSocketConstructor } from '@treadle/stream-client';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { until, World } from './stream.fixture.js';

const GROUP = { stream: 'board', groupId: 'g' };

/** Passes connections on and cuts them when told to. */
class Proxy {
  cuts = 0;
  target = '';
  private readonly pairs = new Set<Socket>();
  private server: Server | undefined;

  async start(): Promise<string> {
    this.server = createServer((client) => {
      const { hostname, port } = new URL(this.target);
      const upstream = connect(Number(port), hostname);
      for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
        this.pairs.add(from);
        from.on('data', (data) => to.write(data));
        from.on('error', () => undefined);
        from.on('close', () => {
          this.pairs.delete(from);
          to.destroy();
        });
      }
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `ws://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  cut(): void {
    this.cuts += 1;
    for (const socket of this.pairs) socket.destroy();
  }

  stop(): void {
    this.cut();
    this.server?.close();
  }
}

describe('the stream client and the engine', function () {
  this.timeout(180_000);
  let world: World;
  let proxy: Proxy;
  let client: StreamClient;
  let url: string;
  let root: string;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'treadle-streams-'));
    proxy = new Proxy();
    url = await proxy.start();
    client = new StreamClient({ url, WebSocket: WebSocket as unknown as WebSocketConstructor, minDelayMs: 5, maxDelayMs: 30 });
  });
  afterEach(async () => {
    client.close();
    proxy.stop();
    await world.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const start = async (adapter?: object): Promise<void> => {
    world = await World.start({ root, ...(adapter ? { adapter } : {}) });
    proxy.target = world.url;
  };
  const listed = async (): Promise<unknown> => {
    const { items } = await (await world.connect()).join('g').then((sync) => ({ items: sync.event.ids?.map((id, index) => [id, (sync.event.data as unknown[])[index]]) }));
    return items;
  };
  const shown = (board: StreamSubscription): unknown => board.items.map(({ id, data }) => [id, data]);
  const agrees = async (board: StreamSubscription): Promise<void> => {
    const expected = JSON.stringify(await listed());
    await until(() => JSON.stringify(shown(board)) === expected);
  };

  it('lose nothing and get nothing twice over connections that are cut again and again', async () => {
    await start();
    const board = client.subscribe<number>({ streamName: 'board', groupId: 'g' });
    const heard: number[] = [];
    board.onEvent(({ data }) => heard.push(data as number));
    await board.ready();
    for (let count = 0; count < 600; count++) {
      await world.port.send(GROUP, { type: 'e', data: count });
      await world.port.set(GROUP, `${count % 5}`, count);
      if (count % 11 === 0) await world.port.delete(GROUP, `${count % 4}`);
      if (count % 60 === 59) proxy.cut();
      if (count % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await until(() => heard.at(-1) === 599);
    expect(heard).to.deep.equal(Array.from({ length: 600 }, (_, index) => index));
    await agrees(board);
    expect(proxy.cuts).to.equal(10);
  });

  it('agree again after a restart of an engine that forgets everything', async () => {
    await start();
    const board = client.subscribe({ streamName: 'board', groupId: 'g' });
    await board.ready();
    for (const id of ['a', 'b', 'c']) await world.port.set(GROUP, id, { id, run: 1 });
    await until(() => board.items.length === 3);
    await world.stop();
    await until(() => board.status === 'connecting');
    expect(board.items).to.have.length(3);
    await start();
    await world.port.set(GROUP, 'b', { id: 'b', run: 2 });
    await agrees(board);
    expect(shown(board)).to.deep.equal([['b', { id: 'b', run: 2 }]]);
    await world.port.set(GROUP, 'd', 1);
    await agrees(board);
  });

  for (const [name, adapter] of [
    ['Sqlite', { class: 'modules::stream::adapters::Sqlite', config: { file_path: 's.db' } }],
    ['KvStore', { class: 'modules::stream::adapters::KvStore', config: { store_method: 'file_based', file_path: 's.db' } }],
  ] as const) {
    it(`resume without a sync after a clean restart over ${name}`, async () => {
      await start(adapter);
      const board = client.subscribe({ streamName: 'board', groupId: 'g' });
      await board.ready();
      await world.port.set(GROUP, 'a', 1);
      await until(() => board.items.length === 1);
      const views: unknown[] = [];
      board.onChange((view) => views.push([view.status, view.items.length]));
      await world.restart();
      proxy.target = world.url;
      await until(() => board.status === 'live');
      await world.port.set(GROUP, 'b', 2);
      await until(() => board.items.length === 2);
      expect(views).to.deep.equal([['connecting', 1], ['live', 1], ['live', 2]]);
    });
  }
});
