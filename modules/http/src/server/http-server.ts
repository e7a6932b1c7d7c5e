import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { type Clock, CONNECTIONS_CHECK_MS, listenError, type Logger, type MovableListener, startListening, untilAborted, urlHost } from '@treadle/api';
import { Acceptors } from './acceptors.js';
import { Connections } from './connection.js';
import type { HttpConfig } from '../http.config.js';
import { answerParserError, type ParserError, refuseRaw } from './parser-errors.js';
import { PROBLEMS } from '../response/problem.js';
import type { Upgrades } from './upgrades.js';
import { MAX_HEADER_BYTES, MAX_URI_BYTES } from '../request/request-head.js';

/** Room for what we want to count and refuse ourselves, so that the refusal names the right thing. */
const PARSER_LIMIT = MAX_HEADER_BYTES + MAX_URI_BYTES + 8 * 1024;
const IDLE_SWEEP_MS = 50;

/** What a reload may change in a server that runs. */
export type ServerLimits = Pick<HttpConfig, 'headers_timeout_ms' | 'request_timeout_ms' | 'keep_alive_timeout_ms' | 'max_connections' | 'accept_handles'>;

export interface HttpServerOptions {
  readonly config: HttpConfig;
  readonly clock: Clock;
  readonly log: Logger;
  /** Position of the config, e.g. `modules[2].config`; named when the address cannot be had. */
  readonly path: string;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly upgrades: Upgrades;
  readonly onExpectation: (request: IncomingMessage, response: ServerResponse) => void;
  /** Something that was no request was answered with this status. */
  readonly onRefused: (status: number) => void;
}

/** The `node:http` server: its limits, its connections and its end. */
export class HttpServer implements MovableListener {
  readonly server: Server;
  private readonly connections: Connections;
  private acceptors: Acceptors | undefined;
  private acceptHandles: number;
  private bound: string | undefined;
  /** The port is the one that it has, also where the config says 0. */
  private place: Pick<HttpConfig, 'host' | 'port'>;
  /** The address is given up: a connection ends with its next answer. */
  leaving = false;

  constructor(private readonly options: HttpServerOptions) {
    const { config, clock } = options;
    this.place = config;
    this.connections = new Connections(config.max_connections, clock, this);
    this.acceptHandles = config.accept_handles;
    this.server = createServer({
      maxHeaderSize: PARSER_LIMIT, requireHostHeader: false, connectionsCheckingInterval: CONNECTIONS_CHECK_MS, noDelay: true, insecureHTTPParser: false,
    }, options.onRequest);
    // Node's default drops header lines beyond its count without a word; ours are refused.
    this.server.maxHeadersCount = 0;
    this.setLimits(config);
    this.server.on('connection', (socket: Socket) => this.connections.enter(socket));
    this.server.on('checkContinue', options.onRequest);
    this.server.on('checkExpectation', options.onExpectation);
    this.server.on('clientError', (error: ParserError, socket: Socket) => {
      const status = answerParserError(error, socket, clock);
      if (status !== undefined) options.onRefused(status);
    });
    options.upgrades.attach(this.server);
    this.server.on('connect', (_request, socket: Socket) => options.onRefused(refuseRaw(socket, PROBLEMS.connect, clock)));
  }

  /** `http://host:port` while it listens. */
  get address(): string | undefined {
    return this.bound;
  }

  /** Its time limits and most connections from now on. Open connections stay, however many there are. */
  setLimits(config: ServerLimits): void {
    const { server } = this;
    server.headersTimeout = config.headers_timeout_ms;
    server.requestTimeout = config.request_timeout_ms;
    server.keepAliveTimeout = config.keep_alive_timeout_ms;
    this.connections.most = config.max_connections;
    if (this.acceptHandles === config.accept_handles) return;
    this.acceptHandles = config.accept_handles;
    if (!server.listening) return;
    void this.acceptors?.close();
    this.openAcceptors();
  }

  /** The same address goes by another name from now on. */
  rename(host: string): void {
    const { port } = this.server.address() as AddressInfo;
    this.place = { host, port };
    this.bound = `http://${urlHost(host)}:${port}`;
  }

  /** Accepts nothing more; open connections stay until their next answer. Not as `http.Server.close`, which would break off idle ones under a request on its way. */
  giveWay(): void {
    this.leaving = true;
    void this.acceptors?.close();
    if (this.server.listening) NetServer.prototype.close.call(this.server);
  }

  /** Accepts again what it gave up. */
  async comeBack(): Promise<void> {
    this.leaving = false;
    await this.listen(this.place);
  }

  /** Gives way and resolves when the last connection is gone, or when the signal aborts. */
  async leave(signal: AbortSignal): Promise<void> {
    this.giveWay();
    await untilAborted(this.connections.gone(), signal);
  }

  /** @throws ADDRESS_IN_USE, ADDRESS_REFUSED naming the setting */
  async listen({ host, port }: Pick<HttpConfig, 'host' | 'port'>): Promise<void> {
    try {
      await startListening(this.server, { host, port });
    } catch (error) {
      throw listenError(error as NodeJS.ErrnoException, { host, port, path: this.options.path });
    }
    this.openAcceptors();
    this.rename(host);
  }

  private openAcceptors(): void {
    const { clock, log } = this.options;
    this.acceptors = new Acceptors({ clock, log, count: this.acceptHandles - 1, onConnection: (socket) => this.server.emit('connection', socket) });
    this.acceptors.open(this.server);
  }

  /** Leaves, and closes the connections on which nothing is under way, also where it gave way before. */
  async drain(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const left = this.leave(signal);
    this.connections.closeIdle();
    // A connection whose answer is on its way becomes idle later.
    const sweep = this.options.clock.every(IDLE_SWEEP_MS, () => this.connections.closeIdle());
    await left;
    sweep.cancel();
  }

  /** Breaks off what is left. Idempotent. */
  async close(): Promise<void> {
    this.bound = undefined;
    // Also ends the timer by which Node.js looks at times of requests, which goes on in a server that gave way or drained.
    this.server.close();
    const accepted = this.acceptors?.close();
    this.server.closeAllConnections();
    this.connections.cutAnswers();
    await accepted;
  }
}
