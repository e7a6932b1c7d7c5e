import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckerProcess } from './checker-process.js';

export type Lane = 'ordered' | 'chain' | 'slow';

export interface Load {
  /** Messages per second, all producers together. */
  readonly rate: number;
  /** Producers with a key of their own, which send to the ordered lane. */
  readonly keys: number;
  /** Producers of chains. */
  readonly chains: number;
  /** Producers of messages whose first run exceeds its time; each sends one a second. Default 0. */
  readonly slow?: number;
}

type Outcome = { readonly type: 'acknowledged' } | { readonly type: 'refused'; readonly status: number } | { readonly type: 'unknown'; readonly why: string };

/** The engine is known not to have stored anything when it answers with these. */
const REFUSALS: readonly number[] = [400, 404, 413, 429, 503];
const SLOW_EACH_MS = 1000;

/** Clients that send one message after the other over HTTP, each with its own number, and tell the checker what they were answered. */
export class Producers {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  private readonly loops: Promise<void>[] = [];
  private target: string | undefined;
  private stopped = false;
  private count = 0;

  constructor(private readonly checker: CheckerProcess, load: Load) {
    const pauseMs = ((load.keys + load.chains) / load.rate) * 1000;
    for (let index = 0; index < load.keys; index++) this.loops.push(this.run('ordered', `k${index}`, pauseMs));
    for (let index = 0; index < load.chains; index++) this.loops.push(this.run('chain', `c${index}`, pauseMs));
    for (let index = 0; index < (load.slow ?? 0); index++) this.loops.push(this.run('slow', `s${index}`, SLOW_EACH_MS));
  }

  /** Messages sent so far. */
  get sent(): number {
    return this.count;
  }

  /** Where the engine is; undefined while it is down: producers wait. */
  set url(url: string | undefined) {
    this.target = url;
  }

  /** Lets the requests under way finish. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.loops);
    this.agent.destroy();
  }

  private async run(lane: Lane, name: string, pauseMs: number): Promise<void> {
    let due = performance.now() + Math.random() * pauseMs;
    for (let n = 0; !this.stopped; n++) {
      await sleep(Math.max(0, due - performance.now()));
      due = Math.max(due + pauseMs, performance.now() - pauseMs);
      while (this.target === undefined && !this.stopped) await sleep(5);
      if (this.target !== undefined && !this.stopped) await this.one(this.target, lane, name, n);
    }
  }

  private async one(url: string, lane: Lane, name: string, n: number): Promise<void> {
    const id = `${name}.${n}`;
    const place = lane === 'ordered' ? { key: name, n } : {};
    // Not waited for: it is on its way before the request is.
    const told = this.checker.tell({ type: 'attempted', id, lane, ...place });
    this.count += 1;
    const outcome = await this.post(url, { lane, id, ...place });
    await Promise.all([told, this.checker.tell({ ...outcome, id })]);
  }

  private post(url: string, body: object): Promise<Outcome> {
    const payload = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
    return new Promise((resolve) => {
      const unknown = ({ message }: Error): void => resolve({ type: 'unknown', why: message });
      const sent = request(`${url}/produce`, { method: 'POST', agent: this.agent, headers }, (response) => {
        const status = response.statusCode ?? 0;
        response.resume().on('error', unknown).on('end', () => resolve(outcomeOf(status)));
      });
      sent.on('error', unknown).end(payload);
    });
  }
}

function outcomeOf(status: number): Outcome {
  if (status === 200) return { type: 'acknowledged' };
  return REFUSALS.includes(status) ? { type: 'refused', status } : { type: 'unknown', why: `status ${status}` };
}
