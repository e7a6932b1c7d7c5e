import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { listenError, startListening } from '@treadle/api';
import { Refusal, refuse, SAFE_HEADERS } from './refusal.js';
import type { RequestGuard } from './request-guard.js';

/** How often a free port is looked for that is free on both loopback addresses. */
const TRIES = 5;
/** A machine without IPv6 does without. */
const NO_SUCH_ADDRESS: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
const MAX_CONNECTIONS = 512;
/** Longest time in which a client reads nothing of an answer; milliseconds. */
const UNREAD_MS = 60_000;

export interface ConsoleServerOptions {
  readonly host: string;
  readonly port: number;
  /** Position of the config, e.g. `modules[2].config`; named when the address cannot be had. */
  readonly path: string;
  /** Made once the port is known. */
  readonly guard: (port: number) => RequestGuard;
  /** Gets what the guard lets in. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The `node:http` server: on both loopback addresses, or on the one that is configured. Nothing gets past its guard. */
export class ConsoleServer {
  private servers: readonly Server[] = [];
  private guard: RequestGuard | undefined;

  constructor(private readonly options: ConsoleServerOptions) {}

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
    const server = createServer({ headersTimeout: 10_000, requestTimeout: 60_000, requireHostHeader: false }, (request, response) => {
      const refusal = this.guard ? this.guard.refusal(request) : NOT_READY;
      if (refusal) refuse(response, refusal);
      else this.options.onRequest(request, response);
    });
    server.maxConnections = MAX_CONNECTIONS;
    // Who waits for an answer may wait; who leaves one unread keeps it in our memory.
    server.setTimeout(UNREAD_MS, (socket) => {
      if (socket.writableLength > 0) socket.destroy();
    });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      refuseRaw(socket, this.guard?.refusal(request, true) ?? NOT_READY);
    });
    return server;
  }
}

const NOT_READY = new Refusal(503, 'starting', 'the console is not ready yet');

/** For connections that have no response any more. */
function refuseRaw(socket: Duplex, { status, text }: Refusal): void {
  const headers = { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text), connection: 'close' };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${head}\r\n${text}`);
}

/** The usual loopback addresses stand for each other: whoever tries `localhost` may get either. */
function bindsBoth(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '::1';
}
