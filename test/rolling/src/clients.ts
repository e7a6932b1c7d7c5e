import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../support/wait-until.js';

/** Clients that keep their connection, ask and order in turn, and never try again. */
export class Clients {
  requests = 0;
  /** Numbers of the orders that were accepted. */
  readonly ordered: number[] = [];
  /** Anything else than what was to be answered, by what it was. */
  readonly failures: Record<string, number> = {};
  private readonly agent: Agent;
  private readonly loops: readonly Promise<void>[];
  private stopped = false;
  private numbers = 0;

  constructor(private readonly url: string, private readonly connections: number, pauseMs: number) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.loops = Array.from({ length: connections }, () => this.loop(pauseMs));
  }

  /** Resolves when each connection has sent two more requests: what is restarted then is in use. */
  async busy(): Promise<void> {
    const enough = this.requests + 2 * this.connections;
    await waitUntil('the clients to send requests', () => this.requests >= enough);
  }

  /** Lets the requests under way finish. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.loops);
    this.agent.destroy();
  }

  private async loop(pauseMs: number): Promise<void> {
    for (let turn = 0; !this.stopped; turn++) {
      if (turn % 2 === 0) {
        await this.one('GET', '/hello', 200);
      } else {
        const n = ++this.numbers;
        if (await this.one('POST', '/orders', 202, JSON.stringify({ n }))) this.ordered.push(n);
      }
      await sleep(pauseMs);
    }
  }

  private async one(method: string, path: string, expected: number, body?: string): Promise<boolean> {
    this.requests += 1;
    const outcome = await this.send(method, path, body);
    if (outcome === expected) return true;
    const what = `${method} ${path}: ${outcome}`;
    this.failures[what] = (this.failures[what] ?? 0) + 1;
    return false;
  }

  private send(method: string, path: string, body?: string): Promise<number | string> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve) => {
      const sent = request(this.url + path, { method, agent: this.agent, headers, timeout: 30_000 }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => { text += part; });
        response.once('error', ({ message }) => resolve(message)).once('end', () => resolve(outcomeOf(response.statusCode ?? 0, text)));
      });
      sent.once('timeout', () => sent.destroy(new Error('no answer'))).once('error', ({ message }) => resolve(message)).end(body);
    });
  }
}

/** The status; of an error its code, too, which tells an engine's answer from a balancer's. */
function outcomeOf(status: number, text: string): number | string {
  return status < 400 ? status : `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? 'of the balancer'}`;
}
