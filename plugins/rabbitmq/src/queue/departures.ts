import { pause, withinAnswerTime } from '../server/within.js';

/** What was not taken is offered again after this; milliseconds. */
const AGAIN_MS = 250;

interface Ways<Message> {
  /** To where they go. */
  adopt(messages: readonly Message[]): Promise<unknown>;
  /** Off the server. */
  remove(tags: readonly number[]): void;
}

/** Pushed by the server. */
interface Leaving<Message> {
  readonly tag: number;
  readonly message: Message;
}

/** Messages on their way from the server to another place: there first, then off the server. */
export class Departures<Message> {
  private leaving: readonly Leaving<Message>[] = [];
  private moving: Promise<void> | undefined;
  private generation = 0;

  constructor(private readonly ways: Ways<Message>) {}

  get count(): number {
    return this.leaving.length;
  }

  get underWay(): boolean {
    return this.moving !== undefined;
  }

  add(pushed: readonly Leaving<Message>[]): void {
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
