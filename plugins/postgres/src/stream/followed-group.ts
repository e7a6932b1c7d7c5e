import { type EpochListener, type StreamEvent, type StreamGroup, TaskLane } from '@treadle/api';

/** Events that are read at once. */
const PORTION = 500;

/** How far a group has come, and its number. */
export interface GroupPlace {
  readonly epoch: string;
  readonly number: number;
  readonly seq: number;
}

/** Reads events of a group after a place, oldest first. */
export type ReadEvents = (of: FollowedGroup, after: number, limit: number) => Promise<readonly StreamEvent[]>;

/** A group whose events this engine tells, whoever made them, in their one order. */
export class FollowedGroup {
  /** Who follows it. */
  readonly uses = new Set<EpochListener>();
  private from: GroupPlace;
  private readonly lane = new TaskLane();
  /** Place of the last event that needs not be told. */
  private told: number;

  /** @param from the place behind which events are told */
  constructor(
    readonly of: StreamGroup, from: GroupPlace, private readonly read: ReadEvents,
    private readonly tell: (event: StreamEvent) => void,
  ) {
    this.from = from;
    this.told = from.seq;
  }

  get number(): number {
    return this.from.number;
  }

  get epoch(): string {
    return this.from.epoch;
  }

  get place(): number {
    return this.told;
  }

  /** Events of this engine have happened: tells them, behind those of others that came before. */
  own(events: readonly StreamEvent[]): Promise<void> {
    return this.lane.run(async () => {
      const last = events.at(-1)?.seq ?? 0;
      const fresh = events.filter(({ seq }) => seq > this.told);
      const follows = fresh.every(({ seq }, index) => seq === this.told + 1 + index);
      if (follows) for (const event of fresh) this.tellOne(event);
      while (this.told < last && await this.tellNext());
    });
  }

  /** Another engine has told that something happened. */
  others(): Promise<void> {
    return this.lane.run(async () => {
      while (await this.tellNext());
    });
  }

  /** The store goes on from another place, in another epoch: whoever follows the group begins again. */
  restart(place: () => Promise<GroupPlace>): Promise<void> {
    return this.lane.run(async () => {
      this.from = await place();
      this.told = this.from.seq;
      for (const use of this.uses) use(this.from.epoch);
      while (await this.tellNext());
    });
  }

  private async tellNext(): Promise<boolean> {
    const events = await this.read(this, this.told, PORTION);
    for (const event of events) this.tellOne(event);
    return events.length > 0;
  }

  private tellOne(event: StreamEvent): void {
    this.told = event.seq;
    if (this.uses.size > 0) this.tell(event);
  }
}
