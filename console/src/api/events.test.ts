import { get, type IncomingMessage } from 'node:http';
import { AdminError, type AdminEventSink } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { type ConsoleOptions, type ConsoleUnderTest, moduleOf, startConsole, statusAndJson } from '../console.fixture.js';

/** A module that sends what a test tells it to. */
function source(): { readonly plugin: ReturnType<typeof moduleOf>; readonly sinks: AdminEventSink[]; left: number; held: number; hold: Promise<void> | undefined } {
  const made = {
    sinks: [] as AdminEventSink[], left: 0, held: 0, hold: undefined as Promise<void> | undefined,
    plugin: moduleOf('acme::stream::SourceModule', ({ admin }) => {
      admin.events('/watch', ({ query }, send) => {
        if (query['stream'] === 'none') throw new AdminError(404, 'no_such_stream', 'there is no stream "none"');
        send({ first: query['stream'] });
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
      resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'], text: () => text, ended, close: () => request.destroy() });
    });
    request.on('error', reject);
  });
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

  it('end for a client that does not read, and for nobody else', async () => {
    const { under, from } = await start();
    const [stalled, reading] = [await watch(under, '/watch?stream=a'), await watch(under, '/watch?stream=b')];
    const megabyte = 'x'.repeat(1_000_000);
    for (let count = 0; count < 5; count += 1) from.sinks[0]?.(megabyte);
    await stalled.ended;
    from.sinks[1]?.('still here');
    await until(() => reading.text().includes('still here'));
    expect(from.left).to.equal(1);
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
