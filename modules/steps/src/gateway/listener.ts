import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { startListening } from '@treadle/api';
import { MAX_FRAME_BYTES } from '@treadle/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { GatewaySocket } from './gateway-socket.js';

/** Connections without a session that one listener holds at most; more are refused. */
const MAX_STRANGERS = 1024;

/** Accepts WebSocket connections on one address. */
export class Listener {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly webSockets = new WebSocketServer({
    noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false, WebSocket: GatewaySocket,
  });

  constructor(private readonly accept: (socket: WebSocket) => void, private readonly strangers: () => number) {
    this.server = createServer((_request, response) => {
      response.writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket' });
      response.end('this is the channel of Step processes; it speaks WebSocket only\n');
    });
    this.server.headersTimeout = 5_000;
    this.server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
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
    if (request.headers.origin !== undefined) return refuse(socket, '403 Forbidden');
    if (this.strangers() >= MAX_STRANGERS) return refuse(socket, '503 Service Unavailable');
    this.webSockets.handleUpgrade(request, socket, head, this.accept);
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => undefined); // the peer may be gone before it reads the refusal
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
