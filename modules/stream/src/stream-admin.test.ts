import { AdminCatalog, type AdminError, type AdminRequest, bind, type Binding, definePlugin, Inject, Module, token } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import sqlite from '@treadle/plugin-sqlite';
import { expect } from 'chai';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import stream from './index.js';
import { streamYaml, until } from './stream.fixture.js';
import { StreamPort } from '@treadle/api';

const Routes = token<AdminCatalog>('testing.Routes');

/** Hands the routes out. */
class RoutesModule {
  constructor(private readonly catalog: AdminCatalog) {}
  ports = (): Binding[] => [bind(Routes, this.catalog)];
}
Inject(AdminCatalog)(RoutesModule, undefined, 0);
Module({
  id: 'testing::routes::RoutesModule', summary: 'Hands the admin routes out', stability: 'stable', since: '0.1.0', config: { type: 'object' }, provides: [Routes],
})(RoutesModule);
const routesPlugin = definePlugin({ name: '@treadle/testing-routes', version: '0.1.0', api: '*', modules: [RoutesModule] });

const ITEM = '/:stream/groups/:group/items/:id';
const GROUP = { stream: 'board', groupId: 'g/1' };

describe('the admin routes of streams', () => {
  let test: TestComposition;
  let port: StreamPort;
  beforeEach(async () => {
    const config = JSON.parse(streamYaml()) as { modules: object[] };
    config.modules.push({ class: 'testing::routes::RoutesModule' });
    test = await createTestComposition({ builtins: [stream, sqlite, routesPlugin], yaml: JSON.stringify(config) });
    test.engine.dispatch.catalog.publish([{
      id: 'stream:board', role: 'stream', config: { name: 'stream:board', triggers: [{ type: 'stream.declaration', streamName: 'board' }] },
      file: 'src/board.stream.ts', language: 'typescript', configHash: '1',
    }, {
      id: 'stream:strict', role: 'stream', config: { name: 'stream:strict', triggers: [{ type: 'stream.declaration', streamName: 'strict', schema: { type: 'object', required: ['n'] } }] },
      file: 'src/strict.stream.ts', language: 'typescript', configHash: '1',
    }]);
    port = test.engine.port(StreamPort) as StreamPort;
    await port.set(GROUP, 'a', { n: 1 });
  });
  afterEach(async () => void await test.stop());

  const route = (method: string, path: string) => {
    const found = test.engine.port(Routes)?.routes().find((one) => one.classId === 'modules::stream::StreamModule' && one.method === method && one.path === path);
    if (!found) throw new Error(`there is no ${method} ${path}`);
    return (request: Partial<AdminRequest> = {}, send?: (event: unknown) => void) => found.handle({ params: {}, query: {}, body: undefined, ...request }, send);
  };

  it('list streams, groups and items', async () => {
    expect(await route('GET', '/')()).to.deep.equal({ items: [{ name: 'board', declaredIn: 'src/board.stream.ts', subscriptions: 0 }, { name: 'strict', declaredIn: 'src/strict.stream.ts', subscriptions: 0 }] });
    expect(await route('GET', '/:stream/groups')({ params: { stream: 'board' }, query: { limit: '5' } })).to.deep.equal({ items: ['g/1'] });
    const group = await route('GET', '/:stream/groups/:group')({ params: { stream: 'board', group: 'g/1' } }) as { items: unknown; seq: number };
    expect(group.items).to.deep.equal([{ id: 'a', value: { n: 1 }, revision: 1 }]);
    expect(group).to.include({ seq: 1 }).and.have.property('epoch').that.is.a('string');
  });

  it('list the connected clients, the latest first, and what they follow', async () => {
    const clients = await Promise.all(['g/1', 'g/2'].map(async (groupId, at) => {
      const client = new WebSocket(test.url('stream'));
      await once(client, 'open');
      client.send(JSON.stringify({ type: 'join', data: { subscriptionId: `s${at}`, streamName: 'board', groupId, ...at === 1 && { id: 'a' } } }));
      await once(client, 'message');
      return client;
    }));
    const { items, count } = await route('GET', '/connections')() as { items: { id: string; since: string; subscriptions: { group: string }[] }[]; count: number };
    expect(count).to.equal(2);
    expect(new Set(items.map(({ id }) => id)).size).to.equal(2);
    expect(items[0]).to.deep.include({ address: '127.0.0.1', authenticated: false, waitingBytes: 0 });
    expect(Date.parse(items[0]?.since ?? '')).to.be.closeTo(Date.now(), 60_000);
    expect(items.flatMap(({ subscriptions }) => subscriptions).sort((a, b) => (a.group < b.group ? -1 : 1))).to.deep.equal([{ stream: 'board', group: 'g/1' }, { stream: 'board', group: 'g/2', id: 'a' }]);
    expect(await route('GET', '/connections')({ query: { limit: '1' } })).to.have.property('items').with.length(1);
    for (const client of clients) client.terminate();
    await until(async () => (await route('GET', '/connections')() as { count: number }).count === 0);
  });

  it('disconnect one client with a code that says why, and leave the others', async () => {
    const clients = await Promise.all([1, 2].map(async () => {
      const client = new WebSocket(test.url('stream'));
      await once(client, 'open');
      return client;
    }));
    const listed = async (): Promise<readonly { readonly id: string }[]> => (await route('GET', '/connections')() as { items: readonly { readonly id: string }[] }).items;
    await until(async () => (await listed()).length === 2);
    const closed = Promise.race(clients.map(async (client) => ({ client, said: await once(client, 'close') as [number, Buffer] })));
    const [, meant] = await listed();
    expect(await route('DELETE', '/connections/:id')({ params: { id: meant?.id ?? '' } })).to.deep.equal({ deleted: true });
    const { client: gone, said: [code, reason] } = await closed;
    expect([code, String(reason)]).to.deep.equal([4009, 'disconnected by an operator']);
    await until(async () => (await listed()).length === 1);
    expect(clients.find((client) => client !== gone)?.readyState).to.equal(WebSocket.OPEN);
    const again = await route('DELETE', '/connections/:id')({ params: { id: meant?.id ?? '' } }).catch((error: AdminError) => [error.status, error.message]);
    expect(again).to.deep.equal([404, `no client "${meant?.id ?? ''}" is connected to this engine`]);
    for (const client of clients) client.terminate();
  });

  it('page through the items of a group', async () => {
    for (const id of ['c', 'b', 'é']) await port.set(GROUP, id, id);
    const page = (query: Record<string, string>) => route('GET', '/:stream/groups/:group')({ params: { stream: 'board', group: 'g/1' }, query }) as
      Promise<{ items: { id: string }[]; cursor?: string }>;
    const first = await page({ limit: '2' });
    expect([first.items.map(({ id }) => id), first.cursor]).to.deep.equal([['a', 'b'], 'b']);
    const rest = await page({ limit: '2', cursor: first.cursor as string });
    expect([rest.items.map(({ id }) => id), rest.cursor]).to.deep.equal([['c', 'é'], undefined]);
  });

  it('write an item only over the revision that is given, and show what it is', async () => {
    const params = { stream: 'board', group: 'g/1', id: 'a' };
    const put = (body: object, id = 'a'): Promise<unknown> => Promise.resolve(route('PUT', ITEM)({ params: { ...params, id }, body })).catch((error: AdminError) => `${error.status} ${error.code}: ${error.message}`);
    expect(await put({ value: { n: 2 }, revision: 1 })).to.deep.equal({ id: 'a', value: { n: 2 }, revision: 2 });
    expect(await put({ value: { n: 3 }, revision: 1 })).to.equal('409 conflict: item "a" has revision 2, not 1: nothing was written');
    expect(await put({ value: { n: 3 }, revision: 0 })).to.equal('409 conflict: item "a" has revision 2, not 0: nothing was written');
    expect(await put({ value: 1, revision: 1 }, 'new')).to.equal('409 conflict: item "new" is not there, so it has no revision 1: nothing was written');
    expect(await put({ value: 1, revision: 0 }, 'new')).to.deep.equal({ id: 'new', value: 1, revision: 1 });
    for (const revision of [-1, 1.5, '1', null]) expect(await put({ value: 1, revision }), String(revision)).to.match(/^400 invalid_argument/);
    expect(await route('GET', ITEM)({ params })).to.deep.equal({ id: 'a', value: { n: 2 }, revision: 2 });
    const gone = await Promise.resolve(route('GET', ITEM)({ params: { ...params, id: 'none' } })).catch((error: AdminError) => [error.status, error.code]);
    expect(gone).to.deep.equal([404, 'not_found']);
  });

  it('say what is not there or cannot be', async () => {
    const refusal = (work: Promise<unknown>): Promise<string> => work.then(() => 'fine', (error: AdminError) => `${error.status} ${error.code}`);
    expect(await refusal(route('GET', '/:stream/groups')({ params: { stream: 'none' } }))).to.equal('404 not_found');
    expect(await refusal(route('GET', '/:stream/groups')({ params: { stream: 'board' }, query: { limit: 'x' } }))).to.equal('400 invalid_argument');
    expect(await refusal(route('GET', '/:stream/groups/:group')({ params: { stream: 'none', group: 'g' } }))).to.equal('404 not_found');
    const unfit = route('PUT', ITEM)({ params: { stream: 'strict', group: 'g', id: 'a' }, body: { value: { m: 1 } } });
    expect(await refusal(Promise.resolve(unfit)), 'an item that does not fit its schema').to.equal('400 invalid_argument');
    const watching = async () => route('EVENTS', '/watch')({ query: { stream: 'none' } }, () => undefined);
    expect(await refusal(watching())).to.equal('404 not_found');
  });

  it('show events as they happen, of a stream or group if wanted', async () => {
    const [all, some]: [unknown[], unknown[]] = [[], []];
    const leave = await route('EVENTS', '/watch')({}, (event) => all.push(event)) as () => void;
    await route('EVENTS', '/watch')({ query: { stream: 'board', group: 'other' } }, (event) => some.push(event));
    await port.send(GROUP, { type: 'e', data: 1 });
    await port.set({ stream: 'board', groupId: 'other' }, 'b', 2);
    leave();
    await port.set(GROUP, 'a', 3);
    expect(all).to.have.length(2);
    expect(all[0]).to.deep.include({ streamName: 'board', groupId: 'g/1', seq: 2, event: { type: 'event', event: { type: 'e', data: 1 } } });
    expect(some).to.have.length(1);
  });
});
