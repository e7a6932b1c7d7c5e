import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { ClientAddress, faultyProxy, type TrustProxy } from './client-address.js';

describe('the address of a client', () => {
  const of = (peer: string | undefined, forwarded: string | undefined, trust?: TrustProxy): string =>
    new ClientAddress(trust).of({ socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage);

  it('is the other end of the connection, whatever a header says, unless proxies are trusted', () => {
    expect(of('::ffff:1.2.3.4', '9.9.9.9')).to.equal('1.2.3.4');
    expect(of('2001:db8::1', undefined, 1)).to.equal('2001:db8::1');
    expect(of(undefined, '9.9.9.9')).to.equal('');
  });

  it('is what the given number of proxies has named', () => {
    expect(of('10.0.0.1', 'spoofed, 6.6.6.6, 1.2.3.4', 1)).to.equal('1.2.3.4');
    expect(of('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', 2)).to.equal('1.2.3.4');
    expect(of('10.0.0.1', '1.2.3.4', 5)).to.equal('1.2.3.4');
  });

  it('is the first one from the end that is no trusted proxy', () => {
    expect(of('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.9.9.9', ['10.0.0.0/8'])).to.equal('1.2.3.4');
    expect(of('11.0.0.1', '6.6.6.6', ['10.0.0.0/8'])).to.equal('11.0.0.1');
    expect(of('::1', '6.6.6.6', ['loopback'])).to.equal('6.6.6.6');
    expect(of('::ffff:127.0.0.1', '6.6.6.6, 192.168.3.4, fd00::1', ['loopback', 'private'])).to.equal('6.6.6.6');
    expect(of('10.0.0.1', '10.0.0.2, 10.0.0.3', ['private'])).to.equal('10.0.0.2');
    expect(of('2001:db8::5', '6.6.6.6', ['2001:db8::/32'])).to.equal('6.6.6.6');
  });

  it('does not follow what is no address, and takes off ports', () => {
    for (const forwarded of ['unknown', '', ' ', 'a.b', '1.2.3.4.5', '::1::', '"1.2.3.4"']) expect(of('10.0.0.1', forwarded, ['private'])).to.equal('10.0.0.1');
    expect(of('10.0.0.1', '1.2.3.4:5678', 1)).to.equal('1.2.3.4');
    expect(of('10.0.0.1', '[2001:db8::7]:443', 1)).to.equal('2001:db8::7');
    expect(of('10.0.0.1', `${'1.1.1.1,'.repeat(5000)}2.2.2.2`, ['private', '0.0.0.0/0'])).to.equal('1.1.1.1');
  });

  it('knows a faulty entry of the setting', () => {
    expect(faultyProxy(['loopback', 'private', '10.0.0.0/8', '::1', 'fc00::/7'])).to.equal(undefined);
    for (const entry of ['10.0.0.0/33', 'proxy.example', '10.0.0', '', '::/129', '1.2.3.4/']) expect(faultyProxy(['loopback', entry])).to.equal(entry);
  });
});
