import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CONNECTIONS_CHECK_MS, type ParserFault, type PeerComplaints, refuseForeignPeer, startListening } from '@treadle/api';
import { MAX_FRAME_BYTES } from '@treadle/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { GatewaySocket } from './gateway-socket.js';
import { Strangers } from './strangers.js';

/** Connections without a session that one listener holds at most. */
const MAX_STRANGERS = 1024;

/** Who takes what a listener accepts. */
export interface Acceptor {
  /** `known` is called once the peer has shown the token. `peer`: what it is called in the log. */
  accept(socket: WebSocket, peer: string, known: () => void): void;
  readonly complaints: PeerComplaints;
}

/** Accepts WebSocket connections on one address. */
export class Listener {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly webSockets = new WebSocketServer({
    noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false, WebSocket: GatewaySocket,
  });

  private readonly strangers = new Strangers(MAX_STRANGERS);

  constructor(private readonly acceptor: Acceptor) {
    this.server = createServer({ headersTimeout: 5_000, connectionsCheckingInterval: CONNECTIONS_CHECK_MS }, ({ method = '', socket }, response) => {
      this.acceptor.complaints.about(peerOf(socket), `a plain HTTP request (${method})`);
      response.writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket' });
      response.end('this is the channel of Step processes; it speaks WebSocket only\n');
    });
    this.server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.server.on('clientError', (error: ParserFault, socket: Duplex) => this.misunderstood(error, socket));
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Resolves when connections are accepted; rejects with the error of the operating system. */
  listen(options: ListenOptions): Promise<void> {
    return startListening(this.server, options);
  }

  /** The TCP port that was taken. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Refuses new connections and ends those that are left. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise<void>((resolve) => void this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Only browsers send it, and no page has business here, whatever token it may have found.
    if (request.headers.origin !== undefined) {
      this.acceptor.complaints.about(peerOf(request.socket), 'an upgrade with an Origin, as browsers send it');
      refuse(socket, '403 Forbidden', 'web pages have no access to the channel of Step processes');
      return;
    }
    this.webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.strangers.add(webSocket);
      this.acceptor.accept(webSocket, peerOf(request.socket), () => this.strangers.delete(webSocket));
    });
  }

  /** What came is no HTTP, or ends before it is complete. */
  private misunderstood(error: ParserFault, socket: Duplex): void {
    refuseForeignPeer(error, socket, (reason) => {
      this.acceptor.complaints.about(peerOf(socket as Socket), reason);
      return { type: 'text/plain', body: `this is the channel of Step processes; it speaks WebSocket only, and what came is ${reason}\n` };
    });
  }
}

function peerOf({ remoteAddress }: Socket): string {
  return remoteAddress ?? 'the unix socket';
}

function refuse(socket: Duplex, status: string, reason: string): void {
  socket.on('error', () => undefined); // the peer may be gone before it reads the refusal
  const body = `${reason}\n`;
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
