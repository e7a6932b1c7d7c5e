import { get, type IncomingMessage } from 'node:http';
import { AdminError, type AdminEventSink } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { type ConsoleOptions, type ConsoleUnderTest, moduleOf, startConsole, statusAndJson } from '../console.fixture.js';

/** A module that sends what a test tells it to. */
function source(): { readonly plugin: ReturnType<typeof moduleOf>; readonly sinks: AdminEventSink[]; early: readonly unknown[]; left: number; held: number; hold: Promise<void> | undefined } {
  const made = {
    sinks: [] as AdminEventSink[], early: [] as readonly unknown[], left: 0, held: 0, hold: undefined as Promise<void> | undefined,
    plugin: moduleOf('acme::stream::SourceModule', ({ admin }) => {
      admin.events('/watch', ({ query }, send) => {
        if (query['stream'] === 'none') throw new AdminError(404, 'no_such_stream', 'there is no stream "none"');
        send({ first: query['stream'] });
        for (const event of made.early) send(event);
        made.sinks.push(send);
        return () => void (made.left += 1);
      });
      admin.post('/slow', async () => {
        made.held += 1;
        return made.hold;
      });
    }),
  };
  return made;
}

/** What a client of events has read so far. */
interface Watch {
  readonly status: number;
  readonly type: string | undefined;
  text(): string;
  /** Reads nothing from now on. */
  pause(): void;
  resume(): void;
  readonly ended: Promise<void>;
  close(): void;
}

function watch({ port, token }: ConsoleUnderTest, path: string): Promise<Watch> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = get({ host: '127.0.0.1', port, path: `/api/v1/streams${path}`, headers, agent: false }, (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => void (text += piece)).on('error', () => undefined);
      const ended = new Promise<void>((done) => response.on('close', () => done()));
      resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'], text: () => text, pause: () => void response.pause(), resume: () => void response.resume(), ended, close: () => request.destroy() });
    });
    request.on('error', reject);
  });
}

/** The events of a stream. */
function eventsOf(text: string): readonly { readonly n?: number; readonly burst?: number; readonly dropped?: number }[] {
  return text.split('\n\n').filter((part) => part.startsWith('data: ')).map((part) => JSON.parse(part.slice('data: '.length)) as object);
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 5_000) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('events of the admin API', () => {
  let console: ConsoleUnderTest | undefined;
  afterEach(async () => {
    await console?.test.stop();
    console = undefined;
  });

  const start = async (options: Partial<ConsoleOptions> = {}): Promise<{ under: ConsoleUnderTest; from: ReturnType<typeof source> }> => {
    const from = source();
    const under = console = await startConsole({ plugins: [from.plugin], modules: '  - class: acme::stream::SourceModule', ...options });
    return { under, from };
  };

  it('arrive in order, those before the answer began too, until the client leaves', async () => {
    const { under, from } = await start();
    const client = await watch(under, '/watch?stream=a');
    expect([client.status, client.type]).to.deep.equal([200, 'text/event-stream; charset=utf-8']);
    from.sinks[0]?.({ n: 1 });
    from.sinks[0]?.('two\nlines');
    await until(() => client.text().includes('two'));
    expect(client.text()).to.equal(': open\n\ndata: {"first":"a"}\n\ndata: {"n":1}\n\ndata: "two\\nlines"\n\n');
    client.close();
    await until(() => from.left === 1);
    from.sinks[0]?.('nobody hears it');
  });

  it('are refused as any other request is', async () => {
    const { under } = await start();
    const answer = await under.ask('GET', '/api/v1/streams/watch?stream=none');
    expect(statusAndJson(answer)).to.deep.equal([404, { status: 404, detail: 'there is no stream "none"', code: 'no_such_stream' }]);
  });

  it('are kept alive by comments, and end when their module is gone', async () => {
    const clock = fakeClock();
    const { under, from } = await start({ clock });
    const client = await watch(under, '/watch?stream=a');
    await clock.advance(15_000);
    await until(() => client.text().endsWith(': alive\n\n'));
    await under.test.reload(`engine: { implicit_modules: false }\nmodules: [{ class: modules::console::ConsoleModule, config: { port: 0 } }]\n`);
    await clock.advance(15_000);
    await client.ended;
    expect(from.left).to.equal(1);
  });

  it('arrive whole in a burst before the answer begins, and one of a single turn', async () => {
    const { under, from } = await start();
    from.early = Array.from({ length: 400 }, (_, n) => ({ n, text: 'x'.repeat(8_000) }));
    const client = await watch(under, '/watch?stream=a');
    await until(() => client.text().includes('"n":399'));
    for (let n = 0; n < 3; n += 1) from.sinks[0]?.({ burst: n, text: 'y'.repeat(1_300_000) });
    await until(() => client.text().includes('"burst":2') && client.text().endsWith('\n\n'));
    expect(eventsOf(client.text()).map(({ n, burst }) => n ?? burst).slice(1)).to.deep.equal([...Array(400).keys(), 0, 1, 2]);
    client.close();
  });

  it('give way, the oldest first, where a client has not read more than waits for it, and are counted', async () => {
    const { under, from } = await start();
    from.early = [...Array.from({ length: 1_000 }, (_, n) => ({ n, text: 'x'.repeat(8_000) })), { dropped: 7 }];
    const client = await watch(under, '/watch?stream=a');
    await until(() => client.text().includes('"n":999'));
    for (let n = 1_000; n < 1_300; n += 1) from.sinks[0]?.({ n, text: 'x'.repeat(100_000) });
    await until(() => client.text().includes('"n":1299') && client.text().endsWith('\n\n'));
    const events = eventsOf(client.text());
    const whole = events.filter(({ n }) => n !== undefined);
    expect(whole.map(({ n }) => n)).to.deep.equal(whole.map(({ n }) => n).sort((a, b) => Number(a) - Number(b)));
    expect(whole.length + events.reduce((sum, { dropped = 0 }) => sum + dropped, 0)).to.be.within(1_300 + 7, 1_300 + 8);
    expect(whole.length).to.be.within(450, 650);
    client.close();
  });

  it('do not pile up for a client that does not read, and go on for others', async () => {
    const { under, from } = await start();
    const [stalled, reading] = [await watch(under, '/watch?stream=a'), await watch(under, '/watch?stream=b')];
    stalled.pause();
    for (let n = 0; n < 20; n += 1) {
      from.sinks[0]?.({ n, text: 'x'.repeat(1_000_000) });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    from.sinks[1]?.('still here');
    await until(() => reading.text().includes('still here'));
    stalled.resume();
    await until(() => stalled.text().includes('"n":19') && stalled.text().endsWith('\n\n'));
    const events = eventsOf(stalled.text());
    expect(events.reduce((sum, { n, dropped = 0 }) => sum + (n === undefined ? dropped : 1), 0)).to.equal(20);
    expect(events.some(({ dropped = 0 }) => dropped > 0)).to.equal(true);
    stalled.close();
    await until(() => from.left === 1);
    reading.close();
  });

  it('end when the engine drains, which refuses changes and waits for those that are running', async () => {
    const { under, from } = await start();
    const client = await watch(under, '/watch?stream=a');
    let finish = (): void => undefined;
    from.hold = new Promise((resolve) => {
      finish = resolve;
    });
    const slow = under.ask('POST', '/api/v1/streams/slow', {});
    await until(() => from.sinks.length === 1 && from.held === 1);
    const stopped = under.test.stop();
    await client.ended;
    expect(from.left).to.equal(1);
    const late = await under.ask('POST', '/api/v1/streams/slow', {});
    expect(statusAndJson(late)).to.deep.equal([503, { status: 503, detail: 'the engine is stopping', code: 'draining' }]);
    const report = await under.ask('GET', '/api/v1/engine');
    expect((report.json as { health: unknown }).health).to.deep.equal({ status: 'draining' });
    finish();
    expect((await slow).status).to.equal(204);
    expect((await stopped).drained).to.equal(true);
  });
});
