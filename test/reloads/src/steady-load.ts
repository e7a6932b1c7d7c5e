import { Agent, request } from 'node:http';

/** What became of requests. */
export interface Outcomes {
  sent: number;
  answered: number;
  /** No connection could be opened. */
  refused: number;
  /** A connection broke before the answer was there. */
  reset: number;
  /** Answered with another status than 200, or not in time. */
  failed: number;
  /** The first faults, in words. */
  readonly faults: string[];
}

const MAX_FAULTS = 20;
const TIMEOUT_MS = 60_000;
const SENDS_EVERY = 4;
/** Most requests keep their connection; some open one, as new clients do. */
const NEW_CONNECTION_EVERY = 5;

/** Requests at a steady pace to an address that may change. */
export class SteadyLoad {
  readonly outcomes: Outcomes = { sent: 0, answered: 0, refused: 0, reset: 0, failed: 0, faults: [] };
  private readonly agent = new Agent({ keepAlive: true });
  private readonly open = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private began = 0;

  /** @param url base address; may be set at any time */
  constructor(public url: string, private readonly perSecond: number) {}

  start(): void {
    this.began = performance.now();
    let due = 0;
    this.timer = setInterval(() => {
      const now = ((performance.now() - this.began) / 1000) * this.perSecond;
      for (; due < now; due += 1) this.next(due);
    }, 5);
  }

  /** One request beside the others that takes so long. */
  slow(ms: number): void {
    this.send('GET', `/slow?ms=${ms}`, this.agent);
  }

  /** Sends nothing more and waits for the answers. */
  async end(): Promise<Outcomes> {
    clearInterval(this.timer);
    await Promise.all(this.open);
    this.agent.destroy();
    return this.outcomes;
  }

  private next(number: number): void {
    const [method, path] = number % SENDS_EVERY === 0 ? ['POST', '/send'] : ['GET', '/fast'];
    this.send(method as string, path as string, number % NEW_CONNECTION_EVERY === 0 ? false : this.agent);
  }

  private send(method: string, path: string, agent: Agent | false): void {
    const { outcomes, url } = this;
    outcomes.sent += 1;
    const done = new Promise<void>((resolve) => {
      const call = request(new URL(path, url), { method, agent, timeout: TIMEOUT_MS }, (response) => {
        response.resume();
        response.once('error', (error: NodeJS.ErrnoException) => this.broke(error, path));
        response.once('close', resolve);
        response.once('end', () => {
          if (response.statusCode === 200) outcomes.answered += 1;
          else this.fault('failed', `${method} ${path}: status ${response.statusCode}`);
        });
      });
      call.once('timeout', () => call.destroy(new Error('no answer in time')));
      call.once('error', (error: NodeJS.ErrnoException) => {
        this.broke(error, `${method} ${path} to ${url}`);
        resolve();
      });
      call.end();
    });
    this.open.add(done);
    void done.then(() => this.open.delete(done));
  }

  private broke(error: NodeJS.ErrnoException, where: string): void {
    const kind = error.code === 'ECONNREFUSED' ? 'refused' : error.code === undefined ? 'failed' : 'reset';
    this.fault(kind, `${where}: ${error.code ?? error.message}`);
  }

  private fault(kind: 'refused' | 'reset' | 'failed', text: string): void {
    this.outcomes[kind] += 1;
    if (this.outcomes.faults.length < MAX_FAULTS) this.outcomes.faults.push(`${kind}: ${text}`);
  }
}
