import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { tempApplication } from '../support/temp-folder.js';

/** Before a server of Node.js would let go by itself, after 60 s; the servers below do after 10 s at most, and a busy machine adds to that. */
const CLOSED_MS = 50_000;

describe('a client that connects and never sends a whole request', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('is let go by every server of the engine when its time is over', async () => {
    const cwd = tempApplication({ 'config.yaml': `engine: { implicit_modules: false }
modules:
  - class: modules::http::HttpModule
    config: { port: 0, headers_timeout_ms: 10000 }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
  - class: modules::steps::StepsModule
    config: { port: 0 }
` });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    await engine.ready();
    const servers = ['http', 'stream', 'console', 'worker-tcp'];
    const ports = await Promise.all(servers.map(async (name) => Number(new URL((await engine.address(name)).replace(/^ws/, 'http')).port)));
    const closed = ports.flatMap((port, index) => ['', 'GET / HTTP/1.1\r\nhost: '].map(async (start) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined).resume();
      const began = performance.now();
      if (start !== '') socket.write(start);
      await once(socket, 'close');
      return { server: servers[index], start, inTime: performance.now() - began < CLOSED_MS };
    }));
    expect((await Promise.all(closed)).filter(({ inTime }) => !inTime)).to.deep.equal([]);
  });
});
