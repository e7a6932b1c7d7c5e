import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect } from 'chai';
import { isLoopback, listenError, startListening, urlHost } from './listening.js';

describe('Listening', () => {
  let server: Server;
  beforeEach(() => { server = createServer(); });
  afterEach(() => void server.close());

  const refusal = (code: string | undefined): object => {
    const error = Object.assign(new Error('no way'), code === undefined ? {} : { code });
    const { code: ours, message, hint, cause } = listenError(error, { host: '::1', port: 80, path: 'modules[0].config' });
    expect(cause).to.equal(error);
    return { code: ours, message, hint };
  };

  it('survives a connection that cannot be accepted', async () => {
    await startListening(server, { host: '127.0.0.1', port: 0 });
    expect((server.address() as AddressInfo).port).to.be.above(0);
    server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    expect(server.listening).to.equal(true);
  });

  it('rejects with the error of the system', async () => {
    await startListening(server, { host: '127.0.0.1', port: 0 });
    const second = createServer();
    const { port } = server.address() as AddressInfo;
    const error = await startListening(second, { host: '127.0.0.1', port }).then(() => undefined, (reason: NodeJS.ErrnoException) => reason);
    expect(error?.code).to.equal('EADDRINUSE');
  });

  it('names the setting that is to blame', () => {
    expect(refusal('EADDRINUSE')).to.deep.equal({ code: 'ADDRESS_IN_USE', message: 'address [::1]:80 is already in use', hint: 'free it or change modules[0].config.port' });
    expect(refusal('EACCES')).to.deep.equal({ code: 'ADDRESS_REFUSED', message: 'cannot listen on [::1]:80: EACCES', hint: 'change modules[0].config.port' });
    expect(refusal('EADDRNOTAVAIL')).to.deep.equal({ code: 'ADDRESS_REFUSED', message: 'cannot listen on [::1]:80: EADDRNOTAVAIL', hint: 'change modules[0].config.host' });
    expect(refusal(undefined)).to.deep.equal({ code: 'ADDRESS_REFUSED', message: 'cannot listen on [::1]:80: no way', hint: 'change modules[0].config.host' });
  });

  it('knows the addresses of this machine alone', () => {
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]']) expect(isLoopback(host), host).to.equal(true);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com', 'localhost.example.com']) expect(isLoopback(host), host).to.equal(false);
  });

  it('puts IPv6 addresses in brackets', () => {
    expect([urlHost('::1'), urlHost('127.0.0.1'), urlHost('a.example')]).to.deep.equal(['[::1]', '127.0.0.1', 'a.example']);
  });
});
