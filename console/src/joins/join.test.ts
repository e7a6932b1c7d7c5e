import { expect } from 'chai';
import { WebSocket } from 'ws';
import { type ShopUnderTest, startShop, until } from '../application.fixture.js';
import type { AuditEntry, JoinEvent, LiveFrame, Page } from '../contract/index.js';

const FILES = {
  'steps/closed.stream.js': "export const config = { name: 'closed', canAccess: (_subscription, auth) => auth.name === 'ann' };\n",
  'steps/who.stream-auth.js': "export const authenticate = ({ headers, query }) => headers.authorization === 'Bearer ann' || query.ticket === 'a b' ? { name: 'ann' } : headers.cookie ? { name: 'bob' } : null;\n",
};

describe('joining a stream as a client', function () {
  this.timeout(90_000);
  let shop: ShopUnderTest;
  const sockets: WebSocket[] = [];
  before(async () => {
    shop = await startShop(FILES);
    await until('the streams', async () => (await shop.json<{ items: readonly unknown[] }>('GET', '/streams')).items.length === 2);
    await shop.json('PUT', '/streams/orders/groups/all/items/o-1', { value: { id: 'o-1' } });
  });
  after(async () => {
    for (const socket of sockets) socket.terminate();
    await shop?.stop();
  });

  /** What a client is told, and the frames of the subscription; until it is as it should be. */
  const join = async (query: Readonly<Record<string, string>>, holds: (events: readonly JoinEvent[], frames: readonly LiveFrame[]) => boolean, token = shop.token): Promise<{ readonly events: readonly JoinEvent[]; readonly frames: readonly LiveFrame[]; readonly socket: WebSocket }> => {
    const socket = new WebSocket(`ws://127.0.0.1:${shop.port}/api/v1/live`, { headers: { authorization: `Bearer ${token}` } });
    sockets.push(socket);
    const frames: LiveFrame[] = [];
    socket.on('message', (data: Buffer) => void frames.push(...JSON.parse(data.toString()) as LiveFrame[]));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', id: 'j', topic: 'join', query })));
    const events = (): readonly JoinEvent[] => frames.flatMap((frame) => (frame.type === 'delta' ? frame.events as unknown as JoinEvent[] : []));
    await until('what the client is told', () => holds(events(), frames)).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(frames)}`);
    });
    return { events: events(), frames, socket };
  };
  const types = (events: readonly JoinEvent[]): readonly string[] => events.map((event) => (event.type === 'received' ? (event.message as { event?: { type: string }; type: string }).event?.type ?? 'error' : event.type));
  const told = (type: string) => (events: readonly JoinEvent[]): boolean => types(events).includes(type);
  const audited = async (path: string): Promise<readonly AuditEntry[]> => (await shop.json<Page<AuditEntry>>('GET', '/audit')).items.filter((entry) => entry.method === 'JOIN' && entry.path === path);

  it('shows the items and the events that a client with these headers gets, until it leaves', async () => {
    const { events, socket } = await join({ stream: 'orders', group: 'all', headers: 'Authorization: Bearer ann\nX-More: 1' }, told('sync'));
    expect(types(events)).to.deep.equal(['connecting', 'connected', 'sent', 'sync']);
    expect(events.at(-1)).to.include({ items: 1 });
    const { items: [connection] } = await shop.json<{ items: readonly { readonly authenticated: boolean }[] }>('GET', '/streams/connections');
    expect(connection).to.include({ authenticated: true });
    expect(await audited('/api/v1/streams/orders/groups/all')).to.have.length(1);
    socket.send(JSON.stringify({ type: 'unsubscribe', id: 'j' }));
    await until('its leaving', async () => (await shop.json<{ count: number }>('GET', '/streams/connections')).count === 0);
  });

  it('sees what is written while it is there, of one item alone when that is asked for', async () => {
    const [all, one] = await Promise.all([
      join({ stream: 'orders', group: 'live', search: 'ticket=a%20b' }, told('sync')), join({ stream: 'orders', group: 'live', id: 'b', search: '?ticket=a+b' }, told('sync')),
    ]);
    for (const id of ['a', 'b']) await shop.json('PUT', `/streams/orders/groups/live/items/${id}`, { value: { id } });
    const created = (frames: readonly LiveFrame[]): number => JSON.stringify(frames).split('"type":"create"').length - 1;
    await until('the events', () => created(all.frames) === 2 && created(one.frames) === 1);
  });

  it('shows whom authenticate refuses, and whom canAccess does', async () => {
    const { events } = await join({ stream: 'orders', group: 'all' }, told('refused'));
    expect(events.at(-1)).to.include({ type: 'refused', status: 401, code: 'unauthorized' });
    expect((await audited('/api/v1/streams/orders/groups/all'))[0]).to.include({ status: 401, who: 'local' });
    const { events: joined } = await join({ stream: 'closed', group: 'all', headers: 'Cookie: id=bob' }, told('unauthorized'));
    expect(types(joined)).to.deep.equal(['connecting', 'connected', 'sent', 'unauthorized']);
    await join({ stream: 'closed', group: 'all', headers: 'Authorization: Bearer ann' }, told('sync'));
  });

  it('shows that a web page of another origin is not let in, and that a stream does not exist', async () => {
    const { events } = await join({ stream: 'orders', group: 'all', headers: 'Origin: https://evil.test\nAuthorization: Bearer ann' }, told('refused'));
    expect(events[0]).to.include({ type: 'connecting', origin: 'https://evil.test' });
    expect(events.at(-1)).to.include({ status: 403 });
    const { events: unknown } = await join({ stream: 'nobody', group: 'all', headers: 'Authorization: Bearer ann' }, told('error'));
    expect((unknown.at(-1) as { message?: unknown } | undefined)?.message).to.include({ code: 'unknown_stream' });
  });

  it('is refused to viewers, and says what is wrong with a question', async () => {
    const refusal = async (query: Readonly<Record<string, string>>, token?: string): Promise<unknown> =>
      (await join(query, (_events, frames) => frames.some(({ type }) => type === 'end'), token)).frames.find((frame) => frame.type === 'end');
    expect(await refusal({ stream: 'orders', group: 'all' }, 'a-token-of-the-viewer')).to.include({ code: 'role_refused' });
    for (const query of [{ stream: 'orders' }, { stream: 'orders', group: 'a', headers: 'no colon' }, { stream: 'orders', group: 'a', headers: 'a b: c' }, { stream: 'orders', group: 'a', search: 'a b' }, { stream: 'orders', group: 'a', more: '' }]) {
      expect(await refusal(query as unknown as Readonly<Record<string, string>>), JSON.stringify(query)).to.include({ code: 'invalid_argument' });
    }
  });
});
