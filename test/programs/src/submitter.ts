import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../../support/http-client.js';
import type { Program } from './program.js';

const LANES = 8;
const BATCH = 20;
const RETRY_MS = 50;

/** Sends programs until each has been acknowledged, those of a group in their order. What gets no answer is sent again: dedupe keys make that safe. */
export class Submitter {
  /** Batches that had to be sent again. */
  repeated = 0;
  private url: string | undefined;
  private stopped = false;
  private readonly lanes: readonly Promise<void>[];

  constructor(programs: readonly Program[], perSecond: number) {
    const pauseMs = ((LANES * BATCH) / perSecond) * 1000;
    this.lanes = sharedOut(programs).map((lane) => this.send(lane, pauseMs));
  }

  /** Where the engine is; undefined while it is down. */
  set target(url: string | undefined) {
    this.url = url;
  }

  /** Resolves when everything has been acknowledged, or after `stop`. */
  async done(): Promise<void> {
    await Promise.all(this.lanes);
  }

  stop(): void {
    this.stopped = true;
  }

  private async send(programs: readonly Program[], pauseMs: number): Promise<void> {
    let due = performance.now();
    for (let at = 0; at < programs.length; at += BATCH) {
      await sleep(Math.max(0, due - performance.now()));
      due += pauseMs;
      const batch = programs.slice(at, at + BATCH);
      while (!this.stopped && !(await this.accepted(batch))) {
        this.repeated += 1;
        await sleep(RETRY_MS);
      }
    }
  }

  private async accepted(batch: readonly Program[]): Promise<boolean> {
    while (this.url === undefined && !this.stopped) await sleep(RETRY_MS);
    if (this.url === undefined) return false;
    // An engine that is killed takes the connection with it.
    const answer = await request('POST', `${this.url}/programs`, batch).catch(() => undefined);
    if (answer && answer.status >= 400 && answer.status < 500) throw new Error(`programs were refused with ${answer.status}: ${answer.text}`);
    return answer?.status === 200;
  }
}

/** Groups keep to one lane: two could overtake each other. */
function sharedOut(programs: readonly Program[]): readonly (readonly Program[])[] {
  const lanes = Array.from({ length: LANES }, (): Program[] => []);
  for (const [index, program] of programs.entries()) {
    const lane = program.place ? Number(program.place.group.slice(1)) : index;
    lanes[lane % LANES]?.push(program);
  }
  return lanes;
}
