import type { StreamGroup } from '@treadle/api';
import { type GroupParts, SharedGroup } from './shared-group.js';
import type { StreamPlaces } from './stream-places.js';

/** A group that nobody has needed for so long is forgotten here; its messages are old enough then to be removed. Milliseconds. */
const IDLE_MS = 420_000;

/** The groups that this engine has in memory. */
export class Groups {
  private readonly known = new Map<string, SharedGroup>();

  constructor(private readonly places: StreamPlaces, private readonly parts: GroupParts) {}

  of({ stream, groupId }: StreamGroup): SharedGroup {
    const subject = this.places.groupOf({ stream, groupId });
    const found = this.known.get(subject) ?? new SharedGroup({ stream, groupId }, subject, this.parts);
    this.known.set(subject, found);
    return found;
  }

  /** A group by its subject, if somebody follows it. */
  followed(subject: string): SharedGroup | undefined {
    const found = this.known.get(subject);
    return found && found.uses > 0 ? found : undefined;
  }

  allFollowed(): readonly SharedGroup[] {
    return [...this.known.values()].filter(({ uses }) => uses > 0);
  }

  /** Removes what nobody needs, and forgets groups that nobody uses. */
  async tidy(settled: number): Promise<void> {
    for (const [subject, group] of this.known) {
      await group.tidy(settled);
      if (group.idle && performance.now() - group.usedAt > IDLE_MS) this.known.delete(subject);
    }
  }
}
