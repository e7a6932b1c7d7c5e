import { type EpochListener, type StreamEvent, type StreamGroup, type StreamPosition, TaskLane } from '@treadle/api';

/** Events that are read at once. */
const PORTION = 500;

/** How far a group has come, and its first events behind a place. */
export interface EventsBehind extends StreamPosition {
  readonly events: readonly StreamEvent[];
}

/** Reads events of a group after a place, oldest first. */
export type ReadEvents = (group: StreamGroup, after: number, limit: number) => Promise<EventsBehind>;

/** A group whose events this engine tells, whoever made them, in their one order. */
export class FollowedGroup {
  /** Who follows it. */
  readonly uses = new Set<EpochListener>();
  private readonly lane = new TaskLane();

  /** @param told the last event that needs not be told */
  constructor(readonly of: StreamGroup, private told: StreamPosition, private readonly read: ReadEvents, private readonly tell: (event: StreamEvent) => void) {}

  get place(): StreamPosition {
    return this.told;
  }

  /** Events of this engine have happened: tells them, behind those of others that came before. */
  own(events: readonly StreamEvent[]): Promise<void> {
    return this.lane.run(async () => {
      const [first] = events;
      if (!first) return;
      this.enter(first.epoch, first.seq - 1);
      const last = events.at(-1)?.seq ?? 0;
      const fresh = events.filter(({ seq }) => seq > this.told.seq);
      const follows = fresh.every(({ seq }, index) => seq === this.told.seq + 1 + index);
      if (follows) for (const event of fresh) this.tellOne(event);
      while (this.told.seq < last && await this.tellNext());
    });
  }

  /** Another engine has told that something happened. */
  others(): Promise<void> {
    return this.lane.run(async () => {
      while (await this.tellNext());
    });
  }

  private async tellNext(): Promise<boolean> {
    const { epoch, seq, events } = await this.read(this.of, this.told.seq, PORTION);
    this.enter(epoch, seq);
    for (const event of events) this.tellOne(event);
    return events.length > 0;
  }

  /** In a new epoch the group may have lost events that were told, and perhaps nothing happens in it for long. */
  private enter(epoch: string, seq: number): void {
    if (epoch === this.told.epoch) return;
    this.told = { epoch, seq: Math.min(this.told.seq, seq) };
    for (const use of this.uses) use(epoch);
  }

  private tellOne(event: StreamEvent): void {
    this.told = { epoch: event.epoch, seq: event.seq };
    if (this.uses.size > 0) this.tell(event);
  }
}
