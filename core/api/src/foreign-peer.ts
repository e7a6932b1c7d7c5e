import type { Duplex } from 'node:stream';
import type { Logger } from './logger.js';

/** Peers that are remembered; the log gets a line for each of them and each fault at most. */
const MAX_PEERS = 200;
const MAX_QUOTED = 32;

/** Error of `clientError` of a `node:http` server. */
export interface ParserFault extends Error {
  readonly code?: string;
  /** What came, as far as it was not understood. */
  readonly rawPacket?: Buffer;
}

/** Says once per peer what it did that a port's protocol does not know: one that comes again and again does not fill the log. */
export class PeerComplaints {
  private readonly told = new Set<string>();

  /** @param port what the log calls it, e.g. `worker channel` */
  constructor(private readonly log: Logger, private readonly port: string) {}

  /** @param peer its address, or what is known of its process */
  about(peer: string, fault: string): void {
    const key = `${peer} ${fault}`;
    if (this.told.has(key) || this.told.size >= MAX_PEERS) return;
    this.told.add(key);
    this.log.warn(`a peer of the ${this.port} breaks its protocol`, { peer, fault });
    if (this.told.size === MAX_PEERS) this.log.warn(`further peers that break the protocol of the ${this.port} are not named`, { peers: MAX_PEERS });
  }
}

/** What a peer speaks whose bytes are no HTTP/1.1, for it and for the log: their beginning, never all of them. */
export function foreignProtocol({ rawPacket, code, message }: ParserFault): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HTTP headers that are too large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'a request that did not arrive in time';
  if (rawPacket === undefined || rawPacket.length === 0) return `no HTTP (${code ?? message})`;
  if (rawPacket[0] === 0x16 && rawPacket[1] === 0x03) return 'a TLS handshake; this port has no TLS, which ends in front of the engine';
  const begins = rawPacket.subarray(0, MAX_QUOTED).toString('latin1');
  if (begins.startsWith('PRI * HTTP/2')) return 'HTTP/2 without negotiation';
  return `no HTTP (${code ?? message}); it begins with ${JSON.stringify(begins)}`;
}

/**
 * Answers bytes that are no HTTP, of which a `node:http` server has told by `clientError`, with 400 and ends the connection. Does nothing more for a peer
 * that is gone. `answer` makes the body, and its content type, of the reason.
 */
export function refuseForeignPeer(fault: ParserFault, socket: Duplex, tell: (reason: string) => { readonly type: string; readonly body: string }): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { type, body } = tell(foreignProtocol(fault));
  socket.on('error', () => undefined); // the peer may be gone before it reads the refusal
  socket.end(`HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
