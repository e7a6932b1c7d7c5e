import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { type ConsoleUnderTest, moduleOf, startConsole } from '../console.fixture.js';

const PATH = '/api/v1/modules/acme::large::LargeModule';

describe('answers that nobody reads', () => {
  let under: ConsoleUnderTest;
  let [making, most] = [0, 0];

  before(async () => {
    const plugin = moduleOf('acme::large::LargeModule', ({ admin }) => {
      admin.get('/large', async () => 'x'.repeat(20_000_000));
      admin.get('/small', async () => ({ ok: true }));
      admin.get('/slow', async () => {
        most = Math.max(most, ++making);
        await new Promise((resolve) => setTimeout(resolve, 100));
        making--;
        return {};
      });
    });
    under = await startConsole({ plugins: [plugin], modules: '  - class: acme::large::LargeModule' });
  });
  after(() => under.test.stop());

  /** A client that reads the beginning of its answer and nothing more. */
  async function unread(): Promise<{ readonly socket: Socket; readonly begin: string }> {
    const { port, token } = under;
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${PATH}/large HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, 'readable');
    return { socket, begin: String(socket.read(12)) };
  }

  it('are held up to a total, beyond which large answers are refused until some are read or given up', async () => {
    const held = [await unread(), await unread(), await unread()];
    expect(held.map(({ begin }) => begin)).to.deep.equal(Array(3).fill('HTTP/1.1 200'));
    expect((await under.ask('GET', `${PATH}/large`)).json).to.have.property('code', 'overloaded');
    expect((await under.ask('GET', `${PATH}/small`)).status).to.equal(200);
    held.forEach(({ socket }) => socket.destroy());
    for (let begin = ''; begin !== 'HTTP/1.1 200';) {
      const next = await unread();
      next.socket.destroy();
      ({ begin } = next);
    }
  });

  it('are put together a few at a time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => under.ask('GET', `${PATH}/slow`)));
    expect(most).to.equal(4);
  });
});
