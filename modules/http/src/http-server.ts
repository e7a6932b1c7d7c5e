import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, listenError, startListening, urlHost } from '@treadle/api';
import { Connection } from './connection.js';
import type { HttpConfig } from './http.config.js';
import { answerParserError, type ParserError, refuseRaw } from './parser-errors.js';
import { PROBLEMS } from './problem.js';
import { MAX_HEADER_BYTES, MAX_URI_BYTES } from './request-head.js';

const CHECK_INTERVAL_MS = 1000;
/** Room for what we want to count and refuse ourselves, so that the refusal names the right thing. */
const PARSER_LIMIT = MAX_HEADER_BYTES + MAX_URI_BYTES + 8 * 1024;
const IDLE_SWEEP_MS = 50;

export interface HttpServerOptions {
  readonly config: HttpConfig;
  readonly clock: Clock;
  /** Position of the config, e.g. `modules[2].config`; named when the address cannot be had. */
  readonly path: string;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onExpectation: (request: IncomingMessage, response: ServerResponse) => void;
  /** Something that was no request was answered with this status. */
  readonly onRefused: (status: number) => void;
}

/** The `node:http` server: its limits, its connections and its end. */
export class HttpServer {
  private readonly server: Server;
  private bound: string | undefined;

  constructor(private readonly options: HttpServerOptions) {
    const { config, clock } = options;
    this.server = createServer({
      maxHeaderSize: PARSER_LIMIT, requireHostHeader: false, connectionsCheckingInterval: CHECK_INTERVAL_MS,
      headersTimeout: config.headers_timeout_ms, requestTimeout: config.request_timeout_ms,
      keepAliveTimeout: config.keep_alive_timeout_ms, noDelay: true, insecureHTTPParser: false,
    }, options.onRequest);
    // Node's default drops header lines beyond its count without a word; ours are refused.
    this.server.maxHeadersCount = 0;
    this.server.maxConnections = config.max_connections;
    this.server.on('connection', (socket: Socket) => new Connection(socket, clock));
    this.server.on('checkContinue', options.onRequest);
    this.server.on('checkExpectation', options.onExpectation);
    this.server.on('clientError', (error: ParserError, socket: Socket) => {
      const status = answerParserError(error, socket, clock);
      if (status !== undefined) options.onRefused(status);
    });
    this.server.on('connect', (_request, socket: Socket) => options.onRefused(refuseRaw(socket, PROBLEMS.connect, clock)));
  }

  /** `http://host:port` while it listens. */
  get address(): string | undefined {
    return this.bound;
  }

  /** @throws ADDRESS_IN_USE, ADDRESS_REFUSED naming the setting */
  async listen(): Promise<void> {
    const { host, port } = this.options.config;
    try {
      await startListening(this.server, { host, port });
    } catch (error) {
      throw listenError(error as NodeJS.ErrnoException, { host, port, path: this.options.path });
    }
    const { port: actual } = this.server.address() as AddressInfo;
    this.bound = `http://${urlHost(host)}:${actual}`;
  }

  /** Accepts nothing more and resolves when the last connection is gone, or when the signal aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    if (!this.server.listening || signal.aborted) return;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    // A connection that was opened but never used, or whose answer went out a moment ago, becomes idle later.
    const sweep = this.options.clock.every(IDLE_SWEEP_MS, () => this.server.closeIdleConnections());
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([closed, aborted]);
    sweep.cancel();
  }

  /** Breaks off what is left. Idempotent. */
  async close(): Promise<void> {
    this.bound = undefined;
    if (this.server.listening) this.server.close();
    this.server.closeAllConnections();
    await Promise.resolve();
  }
}
