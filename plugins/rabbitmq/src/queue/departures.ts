import { pause, withinAnswerTime } from '../server/within.js';
import type { Carried } from './carried-message.js';
import type { Pushed } from './pushed.js';

/** What the second store did not take is offered again after this; milliseconds. */
const AGAIN_MS = 250;

interface Ways {
  /** Into the second store. */
  adopt(messages: readonly Carried[]): Promise<unknown>;
  /** Off the server. */
  remove(tags: readonly number[]): void;
}

/** Deliveries on their way from the server into the second store: there first, then off the server. */
export class Departures {
  private leaving: readonly Pushed[] = [];
  private moving: Promise<void> | undefined;
  private generation = 0;

  constructor(private readonly ways: Ways) {}

  get count(): number {
    return this.leaving.length;
  }

  get underWay(): boolean {
    return this.moving !== undefined;
  }

  add(pushed: readonly Pushed[]): void {
    if (pushed.length === 0) return;
    this.leaving = [...this.leaving, ...pushed];
    this.moving ??= this.move().finally(() => { this.moving = undefined; });
  }

  /** All have left. @throws {NoAnswer} when it takes too long */
  async over(): Promise<void> {
    if (this.moving) await withinAnswerTime(this.moving);
  }

  /** They have gone back on the server. */
  forget(): void {
    this.leaving = [];
    this.generation += 1;
  }

  private async move(): Promise<void> {
    // What is pushed in the same turn goes along.
    await Promise.resolve();
    while (this.leaving.length > 0) {
      const { generation, leaving } = this;
      const taken = await this.ways.adopt(leaving.map(({ message }) => message)).then(() => true, () => false);
      if (generation !== this.generation) continue;
      if (!taken) await pause(AGAIN_MS);
      else {
        this.ways.remove(leaving.map(({ tag }) => tag));
        this.leaving = this.leaving.slice(leaving.length);
      }
    }
  }
}
