import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { listenError, startListening, type TreadleError } from '@treadle/api';
import type { EnginePlan } from '@treadle/kernel';
import { expect } from 'chai';
import { explainAddressInUse } from './address-in-use.js';

type Origin = EnginePlan['effective']['entries'][number]['origins'][string];

describe('an address in use', () => {
  let other: Server;
  let port: number;
  beforeEach(async () => {
    other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    ({ port } = other.address() as AddressInfo);
  });
  afterEach(() => { other.close(); });

  async function explained(origin: Origin, name = 'modules::http::HttpModule', second = port + 1): Promise<TreadleError> {
    const cause = await startListening(createServer(), { host: '127.0.0.1', port }).catch((error: NodeJS.ErrnoException) => error);
    const error = listenError(cause as NodeJS.ErrnoException, { host: '127.0.0.1', port, path: 'modules[0].config' });
    const entry = { class: name, config: { port }, origins: { port: origin }, schema: { properties: { port: { 'x-env': 'SOME_PORT' } } }, adapters: [], implicit: false };
    const others = { ...entry, class: 'x', config: { port: second } };
    return explainAddressInUse(error, { effective: { entries: [entry, others] } } as unknown as EnginePlan);
  }

  it('is told with its line, the process that has it, and a port that is free', async () => {
    const at = { file: 'config.yaml', line: 3, column: 21 };
    const { message, hint, at: told, code } = await explained({ kind: 'file', at });
    expect({ code, told }).to.deep.equal({ code: 'ADDRESS_IN_USE', told: at });
    expect(message).to.match(new RegExp(`^address 127\\.0\\.0\\.1:${port} is already in use(?: by process \\d+ \\(.+\\))?; modules::http::HttpModule needs it$`));
    if (process.platform === 'linux') expect(message).to.include(` by process ${process.pid} (`);
    const [, free] = /take port (\d+), which is free: write "port: \1" there$/.exec(hint ?? '') ?? [];
    expect(Number(free), hint).to.be.above(port + 1);
  });

  it('is changed by an option or a variable where no line asks for it', async () => {
    expect((await explained({ kind: 'default' })).hint).to.match(/: "--port (\d+)", or SOME_PORT=\1 in the environment or \.env$/);
    expect((await explained({ kind: 'file', at: { file: '(--port)' } })).hint).to.match(/: "--port \d+", or SOME_PORT=\d+ in/);
    expect((await explained({ kind: 'env', variable: 'STREAM_PORT' }, 'modules::stream::StreamModule')).hint).to.match(/: STREAM_PORT=\d+ in the environment or \.env$/);
  });

  it('is told with those that the next attempts would find in use', async () => {
    const further = createServer().listen(0, '127.0.0.1');
    await once(further, 'listening');
    const second = (further.address() as AddressInfo).port;
    const [inFile, byDefault] = [await explained({ kind: 'file', at: { file: 'c.yaml', line: 7 } }, 'x', second), await explained({ kind: 'default' }, 'x', second)];
    further.close();
    expect(inFile.hint).to.match(new RegExp(`; also in use: ${second} of x \\(port: \\d+ at c\\.yaml:7\\)$`));
    expect(byDefault.hint).to.match(new RegExp(`; also in use: ${second} of x \\(SOME_PORT=\\d+\\)$`));
  });

  it('is the only error that is told in other words', async () => {
    const error = new Error('x');
    expect(await explainAddressInUse(error, { effective: { entries: [] } } as unknown as EnginePlan)).to.equal(error);
  });
});
