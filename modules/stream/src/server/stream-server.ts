import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type Clock, CONNECTIONS_CHECK_MS, type HttpPort, ignoreUpgrade, listenError, type Logger, type MovableListener, type ParserFault, PeerComplaints, refuseForeignPeer, startListening, type Timer, type Turn, type Unsubscribe, urlHost,
} from '@treadle/api';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authentication, Hooks } from '../access/hooks.js';
import type { Patience } from '../access/patience.js';
import type { Rooms } from '../rooms/rooms.js';
import type { StreamConfig } from '../stream.config.js';
import { Beginnings } from './beginnings.js';
import { Client, type ClientSurroundings, type ShownClient } from './client.js';
import { CLOSE } from './close-codes.js';
import { FlushTurn } from './flush-turn.js';
import { originFault } from './origin-rule.js';
import { hookRequest, refuseUpgrade } from './upgrade-request.js';

/** Largest message of a client, and of how many frames. */
const MAX_PAYLOAD = 64 * 1024;
const MAX_FRAGMENTS = 256;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** Clients are asked for a sign of life in so many parts, not all at once. */
const PING_PARTS = 25;

export interface StreamServerOptions {
  /** A reload may change its members. */
  readonly config: StreamConfig;
  readonly clock: Clock;
  readonly turn: Turn;
  readonly log: Logger;
  readonly rooms: Rooms;
  readonly hooks: Hooks;
  readonly patience: Patience;
  /** Of the engine, where there is one: its trusted proxies are those of streams as well. */
  readonly http?: HttpPort | undefined;
  /** Where clients come in when the server has no port of its own. */
  readonly entrance?: Entrance | undefined;
  /** Position of the config, e.g. `modules[2].config`; named when the address cannot be had. */
  readonly path: string;
}

/** A path of the HTTP server. */
export interface Entrance {
  readonly http: HttpPort;
  readonly path: string;
}

/** The WebSocket server: who is let in, the connections and their end. */
export class StreamServer implements MovableListener {
  readonly server: Server;
  private readonly sockets: WebSocketServer;
  private readonly clients = new Set<Client>();
  private readonly shared: ClientSurroundings;
  /** The port is the one that it has, also where the config says 0. */
  private place: Pick<StreamConfig, 'host' | 'port'>;
  private pinging: Timer | undefined;
  private shut: Unsubscribe | undefined;
  private pingPart = 0;
  private nextPart = 0;
  private entering = 0;
  /** Of all servers: while an address is moved there are two. */
  private static lastClient = 0;
  private draining = false;
  private emptied: (() => void) | undefined;

  constructor(private readonly options: StreamServerOptions) {
    const { config, clock, turn, log, rooms, hooks, patience } = options;
    this.place = { host: config.host, port: config.port };
    this.shared = {
      config, clock, log, rooms, hooks, patience, turn: new FlushTurn(turn), beginnings: new Beginnings(), complaints: new PeerComplaints(log, 'stream port'),
      gone: (client) => this.gone(client),
    };
    this.sockets = new WebSocketServer({
      noServer: true, clientTracking: false, maxPayload: MAX_PAYLOAD, maxFragments: MAX_FRAGMENTS, perMessageDeflate: false,
    });
    this.server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTIONS_CHECK_MS, keepAliveTimeout: 1, noDelay: true,
    }, (request, response) => this.answerPlain(request, response));
    this.server.on('clientError', (error: ParserFault, socket: Duplex) => this.misunderstood(error, socket));
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (request.headers.upgrade?.toLowerCase() === 'websocket') this.upgrade(request, socket, head);
      else ignoreUpgrade(this.server, request, head);
    });
  }

  /** @throws ADDRESS_IN_USE, ADDRESS_REFUSED naming the setting */
  async listen({ host, port }: Pick<StreamConfig, 'host' | 'port'>): Promise<void> {
    const { entrance } = this.options;
    if (entrance) {
      this.shut = entrance.http.upgrade(entrance.path, (request, socket, head) => this.upgrade(request, socket, head));
      this.setPace();
      return;
    }
    try {
      await startListening(this.server, { host, port, backlog: 4096 });
    } catch (error) {
      throw listenError(error as NodeJS.ErrnoException, { host, port, path: this.options.path });
    }
    this.place = { host, port: (this.server.address() as AddressInfo).port };
    this.setPace();
  }

  /** `ws://host:port` by the name that the host has in the config, or the path of the HTTP server. */
  addressAt(host: string): string {
    const { entrance } = this.options;
    if (entrance) return `${(entrance.http.address ?? '').replace(/^http/, 'ws')}${entrance.path}`;
    return `ws://${urlHost(host)}:${this.place.port}`;
  }

  /** Accepts again what it gave up. */
  async comeBack(): Promise<void> {
    await this.listen(this.place);
  }

  /** Asks its clients to connect again, to whom another address serves now. */
  async leave(signal: AbortSignal): Promise<void> {
    await this.drain(signal, 'streams are served at another address');
  }

  /** Accepts nobody any more; those who are here stay. */
  giveWay(): void {
    if (this.server.listening) this.server.close();
  }

  /** Asks for signs of life at the pace of the config from now on. */
  setPace(): void {
    this.pinging?.cancel();
    this.pinging = this.options.clock.every(this.options.config.ping_interval_ms / PING_PARTS, () => this.ping());
  }

  /** There is an authentication now: those who came before it come again. */
  readonly askAgain = (): void => {
    for (const client of this.clients) if (!client.authenticated) client.close(CLOSE.restart, 'clients are authenticated now; connect again');
  };

  /** The clients, the latest first, so many at most. */
  connections(most: number): { readonly items: readonly ShownClient[]; readonly count: number } {
    return { items: [...this.clients].slice(-most).reverse().map(({ shown }) => shown), count: this.clients.size };
  }

  /** Closes the connection of a client; false: it is not here. */
  disconnect(id: string): boolean {
    const client = [...this.clients].find((one) => one.id === id);
    client?.close(CLOSE.byOperator, 'disconnected by an operator');
    return client !== undefined;
  }

  /** Lets nobody in any more, says goodbye to all and resolves when they are gone, or when the signal aborts. */
  async drain(signal: AbortSignal, why = 'the engine is stopping'): Promise<void> {
    this.draining = true;
    this.giveWay();
    const left = new Promise<void>((resolve) => {
      this.emptied = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    for (const client of [...this.clients]) client.sayFarewell(why);
    if (this.clients.size > 0 && !signal.aborted) await left;
  }

  /** Breaks off what is left. Idempotent. */
  async close(): Promise<void> {
    this.draining = true;
    this.pinging?.cancel();
    this.shut?.();
    if (this.server.listening) this.server.close();
    this.server.closeAllConnections();
    for (const client of [...this.clients]) client.cutOff();
    await Promise.resolve();
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until it is a WebSocket nobody else listens, and a reset connection would end the process.
    const ignore = (): void => void socket.destroy();
    socket.on('error', ignore);
    const fault = originFault(request, this.options.config);
    if (fault !== undefined) refuseUpgrade(socket, 403, 'origin_not_allowed', fault);
    else if (this.draining) refuseUpgrade(socket, 503, 'draining', 'the engine is stopping');
    else if (this.clients.size + this.entering >= this.options.config.max_clients) {
      refuseUpgrade(socket, 503, 'overloaded', `there are ${this.options.config.max_clients} clients already`);
    } else {
      this.entering += 1;
      void this.admit(request, socket, head).finally(() => {
        this.entering -= 1;
        socket.off('error', ignore);
      });
    }
  }

  private async admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { hooks, patience } = this.options;
    const authentication = await patience.ask(
      () => hooks.authenticate(hookRequest(request, this.options.http)), ({ outcome }) => outcome !== 'unavailable', () => socket.destroyed || this.draining,
    );
    if (socket.destroyed) return;
    if (authentication.outcome === 'refused') refuseUpgrade(socket, 401, 'unauthorized', 'you are not allowed to connect');
    else if (authentication.outcome === 'unavailable') refuseUpgrade(socket, 503, 'unavailable', 'nobody can say who you are at the moment');
    else if (this.draining) refuseUpgrade(socket, 503, 'draining', 'the engine is stopping');
    else this.sockets.handleUpgrade(request, socket, head, (webSocket) => this.welcome(webSocket, socket, authentication));
  }

  private welcome(webSocket: WebSocket, socket: Duplex, authentication: Authentication): void {
    const known = authentication.outcome === 'known';
    const client = new Client(webSocket, socket, known ? authentication.auth : undefined, this.shared, known, StreamServer.lastClient += 1);
    client.pingPart = this.nextPart = (this.nextPart + 1) % PING_PARTS;
    this.clients.add(client);
  }

  private gone(client: Client): void {
    this.clients.delete(client);
    if (this.clients.size === 0) this.emptied?.();
  }

  private ping(): void {
    this.pingPart = (this.pingPart + 1) % PING_PARTS;
    for (const client of this.clients) if (client.pingPart === this.pingPart) client.ping();
  }

  private answerPlain({ method = '', socket }: IncomingMessage, response: ServerResponse): void {
    this.shared.complaints.about(socket.remoteAddress ?? '', `a plain HTTP request (${method})`);
    response.writeHead(426, { connection: 'close', upgrade: 'websocket', 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'this port serves streams over WebSocket', code: 'upgrade_required' }));
  }

  private misunderstood(error: ParserFault, socket: Duplex): void {
    refuseForeignPeer(error, socket, (reason) => {
      this.shared.complaints.about((socket as Socket).remoteAddress ?? '', reason);
      return { type: 'application/json', body: JSON.stringify({ error: `this port serves streams over WebSocket; what came is ${reason}`, code: 'bad_request' }) };
    });
  }
}
