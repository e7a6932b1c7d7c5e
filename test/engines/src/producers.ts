import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../../support/http-client.js';

/** What was answered of each key: numbers of its messages, rising. */
export interface Produced {
  readonly acknowledged: ReadonlyMap<string, readonly number[]>;
  /** Not answered, or not with 202: perhaps stored. */
  readonly unknown: number;
  /** Requests of which an engine said that it could not do them, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** The longest time after which one did; milliseconds. */
  readonly slowestRefusal: number;
}

/** Clients that send the messages of one key each, one after the other, to any engine that lives. None is sent twice. */
export class Producers {
  private readonly acknowledged = new Map<string, number[]>();
  private readonly refused: Record<string, number> = {};
  private unknown = 0;
  private slowestRefusal = 0;
  private stopped = false;
  private readonly loops: readonly Promise<void>[];

  /** @param urls of engines that live, by HTTP */
  constructor(private readonly urls: () => readonly string[], keys: number, private readonly pauseMs: number) {
    this.loops = Array.from({ length: keys }, (_, index) => this.send(`k${index}`, index));
  }

  get count(): number {
    return [...this.acknowledged.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Lets the requests under way finish. */
  async stop(): Promise<Produced> {
    this.stopped = true;
    await Promise.all(this.loops);
    return { acknowledged: this.acknowledged, unknown: this.unknown, refused: this.refused, slowestRefusal: Math.round(this.slowestRefusal) };
  }

  private async send(key: string, index: number): Promise<void> {
    const done: number[] = [];
    this.acknowledged.set(key, done);
    for (let n = 0; !this.stopped; n += 1) {
      const urls = this.urls();
      const url = urls[(n + index) % Math.max(1, urls.length)];
      const began = performance.now();
      const status = url === undefined ? undefined : await request('POST', `${url}/orders`, { key, n }).then((answer) => answer.status, () => undefined);
      if (status === 202) done.push(n);
      else this.unknown += 1;
      if (status !== undefined && status !== 202) this.note(status, performance.now() - began);
      await sleep(status === undefined ? 20 : this.pauseMs);
    }
  }

  private note(status: number, ms: number): void {
    this.refused[status] = (this.refused[status] ?? 0) + 1;
    this.slowestRefusal = Math.max(this.slowestRefusal, ms);
  }
}
