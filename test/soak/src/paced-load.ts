import { Agent, request } from 'node:http';

/** Shares of the requests, of 100; the rest asks for paths that do not exist, each for another. */
const SHARES = { hello: 50, read: 37, order: 12 } as const;
const ORDERS = 1000;
const TICK_MS = 10;
const OVERLOADED = '503';
/** Requests that wait for a connection or an answer: a full collection of garbage holds up some hundred. */
const MOST_OPEN = 2000;
const BODY = JSON.stringify({ title: 'A table for the reading room', note: 'oak, two metres. '.repeat(20) });

/** Requests of all kinds against an application under soak, as many a second as one says, or as many as it takes. */
export class PacedLoad {
  answered = 0;
  /** Refused with 503, which an engine does that gets more than it can take; other work on the machine brings that about, too. */
  refused = 0;
  /** Other answers with a status from 500 on and connections that failed, by status or message. */
  readonly failures: Record<string, number> = {};
  /** Requests that were not sent because too many were under way. */
  skipped = 0;
  private readonly agent: Agent;
  private timer: NodeJS.Timeout | undefined;
  private due = 0;
  private open = 0;
  private sent = 0;

  constructor(private readonly url: string, private readonly connections: number) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  }

  /** Sends this many requests a second from now on. */
  pace(perSecond: number): void {
    clearInterval(this.timer);
    let before = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      this.due += perSecond * (now - before) / 1000;
      before = now;
      for (; this.due >= 1; this.due -= 1) {
        if (this.open < MOST_OPEN) void this.sendOne();
        else this.skipped += 1;
      }
    }, TICK_MS);
  }

  /** Answers a second when every connection sends its next request at once. */
  async capacity(ms: number): Promise<number> {
    const [began, before] = [performance.now(), this.answered];
    const lanes = Array.from({ length: this.connections }, async () => {
      while (performance.now() - began < ms) await this.sendOne();
    });
    await Promise.all(lanes);
    return (this.answered - before) / ((performance.now() - began) / 1000);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    while (this.open > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    this.agent.destroy();
  }

  private sendOne(): Promise<void> {
    const n = this.sent++;
    const kind = (n * 37) % 100;
    if (kind < SHARES.hello) return this.send('GET', '/hello');
    if (kind < SHARES.hello + SHARES.read) return this.send('GET', `/orders/${Math.floor(n / 3) % ORDERS}`);
    if (kind < SHARES.hello + SHARES.read + SHARES.order) return this.send('POST', `/orders/${Math.floor(n / 3) % ORDERS}`, BODY);
    return this.send('GET', `/nowhere/${n}`);
  }

  private send(method: string, path: string, body?: string): Promise<void> {
    this.open += 1;
    return new Promise((resolve) => {
      const done = (failure?: string): void => {
        this.open -= 1;
        if (failure === OVERLOADED) this.refused += 1;
        else if (failure === undefined) this.answered += 1;
        else this.failures[failure] = (this.failures[failure] ?? 0) + 1;
        resolve();
      };
      const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(this.url + path, { method, agent: this.agent, headers }, (response) => {
        const { statusCode = 0 } = response;
        response.resume().once('end', () => done(statusCode < 500 ? undefined : String(statusCode))).once('error', ({ message }) => done(message));
      });
      sent.once('error', ({ message }: Error) => done(message)).end(body);
    });
  }
}
