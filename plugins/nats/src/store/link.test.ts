import { eventually } from '@treadle/testing';
import { withServer } from '../testing/kit.fixture.js';
import { startNats } from '../testing/server.fixture.js';
import { Link } from './link.js';
import { NATS_DEFAULTS } from './store.config.js';

const PATIENCE_MS = 30_000;
const LARGE = Buffer.alloc(900_000);
const MANY = 60;

withServer.describe('the connection to a NATS server', () => {
  withServer.it('is there again when a server that refused its password several times takes it', async () => {
    const extra = ['--user', 'app', '--pass', 'right'];
    const server = await startNats({ extra });
    const startWith = async (password: string): Promise<void> => {
      await server.crash();
      extra[3] = password;
      await server.resume();
    };
    const link = await Link.open({ ...NATS_DEFAULTS, url: server.url, user: 'app', password: 'right' });
    let refusals = 0;
    void (async () => {
      for await (const { type } of link.connection.status()) if (type === 'error') refusals += 1;
    })();
    try {
      await startWith('other');
      await eventually('refusals', () => refusals, (count) => count >= 3);
      await startWith('right');
      await eventually('an answer', () => link.ask(() => link.jsm.getAccountInfo()).then(() => true, () => false));
    } finally {
      await link.close();
      await server.stop();
    }
  });

  withServer.it('ends when the server does not answer any more, also with much that has not been sent', async () => {
    const server = await startNats();
    const link = await Link.open({ ...NATS_DEFAULTS, url: server.url });
    void link.follow(() => undefined);
    try {
      server.hold();
      // More than the buffers of both sides have room for.
      for (let count = 0; count < MANY; count += 1) link.connection.publish('x', LARGE);
      await eventually('the end of the connection', () => !link.connected, Boolean, PATIENCE_MS);
      server.release();
      await eventually('another one', () => link.connected, Boolean, PATIENCE_MS);
    } finally {
      server.release();
      await link.close();
      await server.stop();
    }
  });
});
