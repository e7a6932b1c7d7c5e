import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineProcess } from './engine-process.js';
import { waitUntil } from './wait-until.js';

/** A subscription as the admin API shows it. */
export interface ShownSubscription {
  readonly step: string;
  readonly topic: string;
  readonly application: string;
  readonly waiting: number;
  readonly retrying: number;
  readonly delayed: number;
  readonly active: number;
  readonly dead: number;
}

/** A dead letter as the admin API shows it, as far as tests read it. */
export interface ShownLetter {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
  readonly data: unknown;
  readonly deaths: number;
  readonly attempts: number;
}

/** The admin API of an engine that a test started. */
export class AdminClient {
  constructor(private readonly engine: EngineProcess) {}

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const token = readFileSync(join(this.engine.dataDir, 'admin.token'), 'utf8').trim();
    const answer = await fetch(`${await this.engine.address('console')}/api/v1${path}`, {
      method, headers: { authorization: `Bearer ${token}`, 'x-console': '1', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  async subscriptions(): Promise<readonly ShownSubscription[]> {
    return (await this.call<{ items: readonly ShownSubscription[] }>('GET', '/queues/')).items;
  }

  /** `step: deliveries that are not done`, sorted. */
  async gathered(): Promise<readonly string[]> {
    const all = await this.subscriptions();
    return all.map((one) => `${one.step}: ${one.waiting + one.retrying + one.delayed + one.active}`).sort();
  }

  /** All dead letters of a Step, whatever their number. */
  async letters(step: string): Promise<readonly ShownLetter[]> {
    const items: ShownLetter[] = [];
    for (let cursor = ''; ;) {
      const page = await this.call<{ items: readonly ShownLetter[]; cursor?: string }>('GET', `/queues/dead-letters?step=${step}&limit=100${cursor}`);
      items.push(...page.items);
      if (page.cursor === undefined) return items;
      cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
    }
  }

  /** Waits until a Step has dead letters: what its handler wrote before it threw is seen sooner. */
  async someLetters(step: string, timeoutMs?: number): Promise<readonly ShownLetter[]> {
    return waitUntil(`a dead letter of ${step}`, async () => {
      const letters = await this.letters(step);
      return letters.length > 0 && letters;
    }, timeoutMs);
  }
}
