import type { Socket } from 'node:net';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, openRaw, until } from '../raw-client.fixture.js';

const LARGE = 9_000_000;
const SLOW = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n';

describe('What a large answer holds', () => {
  const clock = fakeClock();
  let run: RunningModule;
  let timers: number;
  beforeEach(async () => {
    run = await runModule({ clock, config: { max_buffered_answer_bytes: LARGE } });
    run.hub.add({ method: 'GET', path: '/slow' }, () => new Promise(() => undefined));
    run.hub.add({ method: 'GET', path: '/large' }, () => ({ status: 200, body: { kind: 'bytes', value: Buffer.alloc(LARGE) } }));
    timers = clock.pending;
  });
  afterEach(() => run.stop());

  const nothingIsHeld = async (socket: Socket): Promise<void> => {
    expect((await call(`${run.url}/large`)).status).to.equal(503);
    socket.destroy();
    await until(async () => (await call(`${run.url}/large`)).status === 200);
    await until(() => clock.pending === timers);
  };

  it('is given back when the client leaves before it was its turn', async () => {
    const socket = await openRaw(run.port);
    socket.write(`${SLOW}GET /large HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => run.hub.requests.length === 2 && run.hub.running === 1);
    await nothingIsHeld(socket);
  });

  it('is given back when the client leaves before a pipelined answer that has been announced', async () => {
    let admits: ((bytes: number) => boolean) | undefined;
    const start = run.hub.start.bind(run.hub);
    run.hub.start = (request, answer) => {
      admits = (bytes) => answer.admits?.(bytes) === true;
      start(request, answer);
    };
    const socket = await openRaw(run.port);
    socket.write(SLOW.repeat(2));
    await until(() => run.hub.running === 2);
    run.hub.start = start;
    expect(admits?.(LARGE)).to.equal(true);
    await nothingIsHeld(socket);
    // Announced too late, it holds nothing.
    expect(admits?.(LARGE)).to.equal(false);
    expect((await call(`${run.url}/large`)).status).to.equal(200);
  });
});
