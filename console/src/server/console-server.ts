import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CONNECTIONS_CHECK_MS, ignoreUpgrade, listenError, type ParserFault, PeerComplaints, type Logger, refuseForeignPeer, startListening } from '@treadle/api';
import type { Caller } from '../access/caller.js';
import { PROBLEM_TYPE, Refusal, refuse, SAFE_HEADERS } from './refusal.js';
import type { RequestGuard } from './request-guard.js';
import { newRequestId, REQUEST_ID } from './request-id.js';
import { endUnread, UNREAD_MS } from './unread.js';

/** How often a free port is looked for that is free on both loopback addresses. */
const TRIES = 5;
/** A machine without IPv6 does without. */
const NO_SUCH_ADDRESS: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
const MAX_CONNECTIONS = 512;

export interface ConsoleServerOptions {
  readonly host: string;
  readonly port: number;
  /** Position of the config, e.g. `modules[2].config`; named when the address cannot be had. */
  readonly path: string;
  /** Made once the port is known. */
  readonly guard: (port: number) => RequestGuard;
  /** Gets what the guard lets in, and who has sent it. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, caller: Caller) => void;
  /** Takes a connection over that asks for WebSocket; false: not at this path. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller) => boolean;
  /** Path below which a proxy shows the console: it may have left it in the target. Empty: none. */
  readonly base: string;
  readonly log: Logger;
}

/** The `node:http` server: on both loopback addresses, or on the one that is configured. Nothing gets past its guard. */
export class ConsoleServer {
  private servers: readonly Server[] = [];
  private readonly sockets = new Set<Socket>();
  private guard: RequestGuard | undefined;

  private readonly complaints: PeerComplaints;

  constructor(private readonly options: ConsoleServerOptions) {
    this.complaints = new PeerComplaints(options.log, 'admin port');
  }

  /** Returns the port. @throws {ADDRESS_IN_USE}, {ADDRESS_REFUSED} naming the setting */
  async listen(): Promise<number> {
    const { host, port } = this.options;
    for (let left = TRIES; ; left -= 1) {
      try {
        return await this.bind(bindsBoth(host) ? ['127.0.0.1', '::1'] : [host], port);
      } catch (error) {
        await this.close();
        this.guard = undefined;
        if (port !== 0 || left === 1) throw listenError(error as NodeJS.ErrnoException, this.options);
      }
    }
  }

  /** Accepts nothing more and breaks off what is left. Idempotent. */
  async close(): Promise<void> {
    const { servers } = this;
    this.servers = [];
    await Promise.all(servers.map((server) => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      // Those that no parser reads.
      for (const socket of this.sockets) socket.destroy();
      return closed;
    }));
  }

  private async bind(hosts: readonly string[], wanted: number): Promise<number> {
    let port = wanted;
    for (const [index, host] of hosts.entries()) {
      const server = this.make();
      try {
        await startListening(server, { host, port });
      } catch (error) {
        if (index > 0 && NO_SUCH_ADDRESS.has((error as NodeJS.ErrnoException).code)) continue;
        throw error;
      }
      this.servers = [...this.servers, server];
      port = (server.address() as AddressInfo).port;
      this.guard ??= this.options.guard(port);
    }
    return port;
  }

  private make(): Server {
    const server = createServer({ headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: CONNECTIONS_CHECK_MS, requireHostHeader: false }, (request, response) => {
      response.setHeader(REQUEST_ID, newRequestId());
      withoutBase(request, this.options.base);
      const caller = this.guard ? this.guard.admit(request) : NOT_READY;
      if (caller instanceof Refusal) refuse(response, caller);
      else this.options.onRequest(request, response, caller);
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket: Socket) => {
      if (this.sockets.has(socket)) return;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    // Who waits for an answer may wait; who leaves one unread keeps it in our memory.
    server.setTimeout(UNREAD_MS, endUnread);
    server.on('clientError', (error: ParserFault, socket: Duplex) => refuseForeignPeer(error, socket, (reason) => {
      this.complaints.about((socket as Socket).remoteAddress ?? '', reason);
      return { type: PROBLEM_TYPE, body: new Refusal(400, 'bad_request', `the admin port speaks HTTP; what came is ${reason}`).text(newRequestId()) };
    }));
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      // As Java's client sends it with every first request.
      if (request.headers.upgrade?.toLowerCase() === 'websocket') this.upgrade(request, socket, head);
      else ignoreUpgrade(server, request, head);
    });
    return server;
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    withoutBase(request, this.options.base);
    const caller = this.guard ? this.guard.admit(request, true) : NOT_READY;
    if (!(caller instanceof Refusal) && this.options.onUpgrade(request, socket, head, caller)) return;
    this.complaints.about(request.socket.remoteAddress ?? '', `an upgrade to ${JSON.stringify((request.headers.upgrade ?? '').slice(0, 32))}`);
    refuseRaw(socket, caller instanceof Refusal ? caller : NO_UPGRADE);
  }
}

const NOT_READY = new Refusal(503, 'starting', 'the console is not ready yet');
const NO_UPGRADE = new Refusal(400, 'upgrade_refused', 'connections are upgraded at /api/v1/live only, to WebSocket');

/** A proxy that takes its prefix away and one that does not are both understood. */
function withoutBase(request: IncomingMessage, base: string): void {
  const { url = '' } = request;
  if (base !== '' && (url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`))) request.url = `/${url.slice(base.length).replace(/^\//, '')}`;
}

/** For connections that have no response any more. */
function refuseRaw(socket: Duplex, refusal: Refusal): void {
  const id = newRequestId();
  const text = refusal.text(id);
  const headers = { ...SAFE_HEADERS, [REQUEST_ID]: id, 'content-type': PROBLEM_TYPE, 'content-length': Buffer.byteLength(text), connection: 'close' };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${head}\r\n${text}`);
}

/** The usual loopback addresses stand for each other: whoever tries `localhost` may get either. */
function bindsBoth(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '::1';
}
