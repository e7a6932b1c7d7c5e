import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request as ask } from '../../support/http-client.js';
import { waitUntil } from '../../support/wait-until.js';
import type { Balancer } from './balancer.js';

const CHECK_MS = 100;
const OF_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding'];

interface Backend {
  readonly port: number;
  readonly agent: Agent;
  up: boolean;
  /** A check is under way. */
  checked: boolean;
}

/**
 * A balancer of the tests' own, with what one needs: health checks, connections that are kept, a further engine where one cannot be
 * connected to. A request that an engine has got is never sent twice.
 */
export class SmallBalancer implements Balancer {
  private readonly server: Server;
  private readonly backends: readonly Backend[];
  private readonly checks: NodeJS.Timeout;
  private turn = 0;

  private constructor(ports: readonly number[]) {
    this.backends = ports.map((port) => ({ port, agent: new Agent({ keepAlive: true }), up: false, checked: false }));
    this.checks = setInterval(() => this.backends.forEach((backend) => void check(backend)), CHECK_MS);
    this.server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => void this.pass(incoming, response));
  }

  static async start(ports: readonly number[]): Promise<SmallBalancer> {
    const balancer = new SmallBalancer(ports);
    balancer.server.listen(0, '127.0.0.1');
    await once(balancer.server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async allUp(): Promise<void> {
    await waitUntil('all engines behind the balancer', () => this.backends.every(({ up }) => up));
  }

  async stop(): Promise<void> {
    clearInterval(this.checks);
    for (const { agent } of this.backends) agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const left = this.backends.filter(({ up }) => up);
    const first = left.length === 0 ? 0 : this.turn++ % left.length;
    this.send({ incoming, body: Buffer.concat(parts), response }, [...left.slice(first), ...left.slice(0, first)]);
  }

  private send(exchange: { readonly incoming: IncomingMessage; readonly body: Buffer; readonly response: ServerResponse }, [backend, ...others]: readonly Backend[]): void {
    const { incoming, body, response } = exchange;
    if (!backend) {
      response.writeHead(503).end('no engine');
      return;
    }
    const { method, url: path, headers } = incoming;
    const sent = request({ host: '127.0.0.1', port: backend.port, agent: backend.agent, method, path, headers: passedOn(headers) }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
      answer.pipe(response);
    });
    sent.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') this.send(exchange, others);
      else response.writeHead(502).end(error.message);
    });
    sent.end(body);
  }
}

/** One after the other: what was answered last is what holds. */
async function check(backend: Backend): Promise<void> {
  if (backend.checked) return;
  backend.checked = true;
  backend.up = (await ask('GET', `http://127.0.0.1:${backend.port}/health`).catch(() => undefined))?.status === 200;
  backend.checked = false;
}

function passedOn<V>(headers: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)));
}
