import type { SharedStreams, StreamEvent, StreamGroup, StreamPosition, Unsubscribe } from '@treadle/api';

/** A group whose events come from several engines: following it, and what happened before that. */
export class SharedGroup {
  /** How often another epoch was told: what was asked for before may have been lost by the store. */
  epochs = 0;
  private following: Promise<void> | undefined;
  private unfollow: Unsubscribe | undefined;
  private left = false;
  /** Readings of the past that are under way: clients of an engine that is gone come all at once, with one position. */
  private readonly reading = new Map<string, Promise<readonly StreamEvent[] | undefined>>();

  /** @param anew as `SharedStreams.follow` has it */
  constructor(private readonly group: StreamGroup, private readonly shared: SharedStreams, private readonly anew: (epoch: string) => void) {}

  /** Events of all engines are told here. */
  get followed(): boolean {
    return this.unfollow !== undefined;
  }

  /** @throws an `Error` that names the group; the next one tries again */
  follow(): Promise<void> {
    this.following ??= this.begin().finally(() => {
      this.following = undefined;
    });
    return this.following;
  }

  leave(): void {
    this.left = true;
    this.unfollow?.();
    this.unfollow = undefined;
  }

  /** Events after a position, oldest first; undefined when some of them are not known any more, or there are more than `most`. */
  async after({ epoch, seq }: StreamPosition, most: number): Promise<readonly StreamEvent[] | undefined> {
    const name = JSON.stringify([this.epochs, epoch, seq, most]);
    const events = this.reading.get(name) ?? this.shared.eventsAfter(this.group, { epoch, seq }, most + 1).finally(() => this.reading.delete(name));
    this.reading.set(name, events);
    const found = await events;
    return found && found.length <= most ? found : undefined;
  }

  private async begin(): Promise<void> {
    try {
      this.unfollow = await this.shared.follow(this.group, (epoch) => {
        this.epochs += 1;
        this.anew(epoch);
      });
      if (this.left) this.leave();
    } catch (error) {
      const { stream, groupId } = this.group;
      throw new Error(`group "${groupId}" of stream "${stream}" cannot be followed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
}
