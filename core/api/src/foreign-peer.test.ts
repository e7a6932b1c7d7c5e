import { expect } from 'chai';
import { foreignProtocol, PeerComplaints, type ParserFault } from './foreign-peer.js';

const fault = (members: object): ParserFault => Object.assign(new Error('Parse Error'), members);

describe('a peer of another protocol', () => {
  for (const [bytes, named] of [
    [Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]), 'a TLS handshake; this port has no TLS, which ends in front of the engine'],
    [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 'HTTP/2 without negotiation'],
    [Buffer.from('*1\r\n$4\r\nPING\r\n'), 'no HTTP (HPE_INVALID_METHOD); it begins with "*1\\r\\n$4\\r\\nPING\\r\\n"'],
    [Buffer.alloc(1000, 'secret '), 'no HTTP (HPE_INVALID_METHOD); it begins with "secret secret secret secret secr"'],
  ] as const) {
    it(`is told what it speaks: ${named.slice(0, 40)}`, () => expect(foreignProtocol(fault({ code: 'HPE_INVALID_METHOD', rawPacket: bytes }))).to.equal(named));
  }

  it('is told of what broke off, too', () => {
    expect(foreignProtocol(fault({ code: 'HPE_INVALID_EOF_STATE' }))).to.equal('no HTTP (HPE_INVALID_EOF_STATE)');
    expect(foreignProtocol(fault({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }))).to.equal('a request that did not arrive in time');
  });

  it('has one line in the log, and all together a bounded number', () => {
    const lines: string[] = [];
    const log = { warn: (message: string) => void lines.push(message) };
    const complaints = new PeerComplaints(log as never, 'worker channel');
    for (let round = 0; round < 2; round++) for (let peer = 0; peer < 300; peer++) complaints.about(`10.0.0.${peer}`, 'garbage');
    expect(lines).to.have.length(201);
    expect(lines.at(-1)).to.equal('further peers that break the protocol of the worker channel are not named');
  });
});
