import { expect } from 'chai';
import { WebSocket } from 'ws';
import { AdminError, type AdminEventSink } from '@treadle/api';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { type ConsoleUnderTest, moduleOf, startConsole } from '../console.fixture.js';
import type { ClientMessage, LiveFrame } from '../contract/index.js';
import { MAX_WAITING } from './subscription.js';

type Frame = Extract<LiveFrame, { id: string }> | Exclude<LiveFrame, { id: string }>;

class Page {
  readonly frames: Frame[] = [];
  messages = 0;
  closed: number | undefined;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.messages += 1;
      this.frames.push(...JSON.parse(data.toString()) as Frame[]);
    });
    socket.on('close', (code) => void (this.closed = code));
    socket.on('error', () => undefined);
  }

  say(message: ClientMessage | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  of(id: string): readonly Frame[] {
    return this.frames.filter((frame) => 'id' in frame && frame.id === id);
  }
}

describe('the live channel', () => {
  let console: ConsoleUnderTest;
  let clock: FakeClock;
  let sinks: AdminEventSink[];
  let left: number;
  let waiting: number;
  /** Milliseconds that a read of the queues takes, and that have gone by so. */
  let reading: number;
  let broken: boolean;
  let worked: number;
  let pages: Page[];

  beforeEach(async () => {
    [sinks, left, waiting, reading, broken, worked, pages, clock] = [[], 0, 0, 0, false, 0, [], fakeClock()];
    const source = moduleOf('acme::queue::SourceModule', ({ admin }) => {
      admin.get('/', async () => {
        worked += reading;
        if (broken) throw new AdminError(503, 'storage_unavailable', 'the disk is full');
        return { items: [{ step: 'S', topic: 't', waiting, delayed: 0, active: 0, retrying: 0, dead: 0, paused: false }], gone: [], unrouted: [] };
      });
      admin.events('/watch', ({ query }, send) => {
        send({ joined: query['name'] });
        sinks.push(send);
        return () => void (left += 1);
      }, ['name']);
      admin.events('/secret', () => () => undefined, [], 'For few', 'admin');
    });
    const config = 'page: true, auth: { tokens: [{ name: v, role: viewer, token: a-token-of-the-viewer }] }';
    const working = { now: () => clock.now(), monotonic: () => clock.monotonic() + worked, after: (ms: number, task: () => void) => clock.after(ms, task), every: (ms: number, task: () => void) => clock.every(ms, task) };
    console = await startConsole({ config, clock: working, plugins: [source], modules: '  - class: acme::queue::SourceModule' });
  });
  afterEach(async () => {
    for (const { socket } of pages) socket.terminate();
    await console.test.stop();
  });

  const open = (token = console.token, headers: Record<string, string> = {}): Promise<Page> => new Promise((resolve, reject) => {
    const page = new Page(new WebSocket(`ws://127.0.0.1:${console.port}/api/v1/live`, { headers: { authorization: `Bearer ${token}`, ...headers } }));
    pages.push(page);
    page.socket.on('open', () => resolve(page)).on('unexpected-response', (_request, response) => reject(new Error(String(response.statusCode)))).on('error', reject);
  });
  /** Lets time pass until something holds: sockets take real time. */
  const until = async (holds: () => boolean, step = 100): Promise<void> => {
    for (let tries = 0; !holds(); tries += 1) {
      if (tries > 400) throw new Error('it did not happen in time');
      await clock.advance(step);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  it('greets with the id of the start, and says what it does not understand', async () => {
    const page = await open();
    for (const text of ['{', '[]', '{"type":"x"}', '{"type":"subscribe","id":""}', '{"type":"subscribe","id":"a"}', '{"type":"visibility"}', '{"type":"subscribe","id":"a","topic":"logs","query":{"a":1}}']) page.say(text);
    await until(() => page.frames.length === 8);
    expect(page.frames[0]).to.have.property('bootId', ((await console.ask('GET', '/api/v1/meta')).json as { bootId: string }).bootId);
    expect(page.frames.slice(1).map((frame) => frame.type === 'error' && frame.code)).to.deep.equal(Array(7).fill('invalid_message'));
  });

  it('sends a value when it has changed, and reads it only while somebody listens', async () => {
    const page = await open();
    page.say({ type: 'subscribe', id: 'q', topic: 'queues' });
    await until(() => page.of('q').length === 1);
    expect(page.of('q')[0]).to.deep.include({ type: 'snapshot', seq: 1 }).and.to.have.nested.property('data.items[0].waiting', 0);
    await clock.advance(10_000);
    waiting = 7;
    await until(() => page.of('q').length === 2, 1000);
    expect(page.of('q')[1]).to.include({ type: 'snapshot', seq: 2 }).and.to.have.nested.property('data.items[0].waiting', 7);
    const other = await open();
    other.say({ type: 'subscribe', id: 'same', topic: 'queues' });
    await until(() => other.of('same').length === 1);
    page.say({ type: 'unsubscribe', id: 'q' });
    waiting = 8;
    await until(() => other.of('same').length === 2, 1000);
    expect(page.of('q')).to.have.length(2);
  });

  it('says that what it sent is not up to date while that cannot be read, and sends it again when it can', async () => {
    const page = await open();
    page.say({ type: 'subscribe', id: 'q', topic: 'queues' });
    await until(() => page.of('q').length === 1);
    broken = true;
    await until(() => page.of('q').length === 2, 1000);
    expect(page.of('q')[1]).to.deep.equal({ type: 'stale', id: 'q', seq: 2, code: 'storage_unavailable', detail: 'the disk is full' });
    await clock.advance(5_000);
    broken = false;
    await until(() => page.of('q').length === 3, 1000);
    expect(page.of('q')[2]).to.deep.include({ type: 'snapshot', seq: 3 }).and.to.have.nested.property('data.items[0].waiting', 0);
  });

  it('gathers events into few messages, in order and numbered', async () => {
    const page = await open();
    page.say({ type: 'subscribe', id: 'w', topic: '/queues/watch', query: { name: 'me' } });
    await until(() => page.of('w').length === 1);
    expect(page.of('w')[0]).to.deep.include({ type: 'delta', seq: 1, events: [{ joined: 'me' }] });
    const before = page.messages;
    for (let at = 0; at < 500; at += 1) sinks[0]?.({ at });
    await until(() => page.of('w').length === 2);
    expect(page.messages).to.equal(before + 1);
    expect(page.of('w')[1]).to.deep.include({ type: 'delta', seq: 2 });
    expect(eventsOf(page.of('w')[1])).to.deep.equal([...Array(500).keys()]);
  });

  it('sends what happens while a value that took long to read is not read again', async () => {
    const page = await open();
    page.say({ type: 'subscribe', id: 'w', topic: '/queues/watch' });
    page.say({ type: 'subscribe', id: 'q', topic: 'queues' });
    await until(() => page.of('w').length === 1 && page.of('q').length === 1);
    [reading, waiting] = [10_000, 7];
    await until(() => page.of('q').length === 2);
    for (const at of [1, 2, 3]) {
      sinks[0]?.({ at });
      await until(() => page.of('w').length === 1 + at);
    }
    expect(worked).to.equal(10_000);
  });

  it('cuts off a page with an event that cannot be written, and goes on for others', async () => {
    const [page, other] = [await open(), await open()];
    for (const one of [page, other]) one.say({ type: 'subscribe', id: 'w', topic: '/queues/watch' });
    await until(() => page.of('w').length === 1 && other.of('w').length === 1);
    sinks[0]?.({ at: 1n });
    sinks[1]?.({ at: 2 });
    await until(() => page.closed !== undefined || other.closed !== undefined);
    const left = page.closed === undefined ? page : other;
    await until(() => left.of('w').length > 1);
    expect([left.closed, eventsOf(left.of('w')[1])]).to.deep.equal([undefined, [2]]);
  });

  it('leaves out the oldest of too many, and says how many', async () => {
    const page = await open();
    page.say({ type: 'subscribe', id: 'w', topic: '/queues/watch' });
    await until(() => page.of('w').length === 1);
    for (let at = 0; at < 3 * MAX_WAITING; at += 1) sinks[0]?.({ at });
    await until(() => page.of('w').length === 3);
    const [, gap, delta] = page.of('w');
    expect(gap).to.include({ type: 'gap', seq: 2, dropped: 2 * MAX_WAITING });
    expect(delta).to.include({ type: 'delta', seq: 3 });
    expect(eventsOf(delta)[0]).to.equal(2 * MAX_WAITING);
  });

  it('counts what a module had left out itself among what it leaves out', async () => {
    const page = await open();
    page.say({ type: 'subscribe', id: 'w', topic: '/queues/watch' });
    await until(() => page.of('w').length === 1);
    for (const event of [{ dropped: 700 }, { dropped: 2, at: 0 }, { dropped: 'two' }]) sinks[0]?.(event);
    for (let at = 0; at < 2 * MAX_WAITING - 3; at += 1) sinks[0]?.({ at });
    await until(() => page.of('w').length === 3);
    expect(page.of('w')[1]).to.include({ type: 'gap', dropped: MAX_WAITING + 699 });
  });

  it('sends one message in 5 seconds to a page that nobody sees', async () => {
    const page = await open();
    page.say({ type: 'subscribe', id: 'w', topic: '/queues/watch' });
    await until(() => page.of('w').length === 1);
    page.say({ type: 'visibility', hidden: true });
    page.say('nonsense');
    await until(() => page.frames.some(({ type }) => type === 'error'));
    const before = page.messages;
    for (let at = 0; at < 40; at += 1) {
      sinks[0]?.({ at });
      await clock.advance(100);
    }
    expect(page.messages).to.equal(before);
    await until(() => page.messages > before, 1000);
    expect(page.messages).to.equal(before + 1);
    page.say({ type: 'visibility', hidden: false });
    sinks[0]?.({ last: true });
    await until(() => page.messages > before + 1);
  });

  it('ends a subscription that cannot be, and one whose page is gone', async () => {
    const page = await open('a-token-of-the-viewer');
    for (const [id, topic] of [['a', 'nothing'], ['b', '/queues/nothing'], ['c', 'logs'], ['d', '/queues/secret'], ['e', '/queues']] as const) page.say({ type: 'subscribe', id, topic: topic as 'logs' });
    await until(() => page.frames.filter(({ type }) => type === 'end').length === 5);
    expect(['a', 'b', 'c', 'd', 'e'].map((id) => (page.of(id)[0] as { code?: string }).code)).to.deep.equal(['not_found', 'not_found', 'module_not_loaded', 'role_refused', 'not_found']);
    page.say({ type: 'subscribe', id: 'w', topic: '/queues/watch' });
    await until(() => sinks.length === 1);
    page.say({ type: 'subscribe', id: 'w', topic: '/queues/watch' });
    await until(() => sinks.length === 2 && left === 1);
    page.socket.close();
    await until(() => left === 2);
  });

  it('bounds what a client may subscribe to', async () => {
    const page = await open();
    for (let at = 0; at < 65; at += 1) page.say({ type: 'subscribe', id: `s${at}`, topic: '/queues/watch' });
    await until(() => page.frames.some(({ type }) => type === 'end'));
    expect(page.of('s64')[0]).to.include({ type: 'end', code: 'too_many' });
  });

  it('is for those who show who they are, from a page of ours', async () => {
    const refused = async (token: string, headers?: Record<string, string>): Promise<string> => open(token, headers).then(() => 'open', ({ message }: Error) => message);
    expect(await refused('wrong')).to.equal('401');
    expect(await refused(console.token, { origin: 'http://evil.test' })).to.equal('403');
    expect(await refused(console.token, { origin: 'http://127.0.0.1:3000' })).to.equal('403');
    expect(await refused(console.token, { host: `rebind.test:${console.port}` })).to.equal('403');
    expect(await refused(console.token, { origin: `http://127.0.0.1:${console.port}` })).to.equal('open');
    const cookie = async (): Promise<string> => {
      const { url } = (await console.ask('POST', '/api/v1/session/link', {})).json as { url: string };
      return url;
    };
    expect(await cookie()).to.contain('/?t=');
  });

  it('says good-bye when the engine stops', async () => {
    const page = await open();
    await until(() => page.frames.length === 1);
    await console.test.engine.stop();
    await until(() => page.closed !== undefined);
    expect(page.closed).to.equal(1012);
  });
});

function eventsOf(frame: Frame | undefined): readonly number[] {
  return frame?.type === 'delta' ? frame.events.map((event) => (event as { at: number }).at) : [];
}
