import type { JetLog } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import type { StatePlaces } from './state-place.js';

/** A floor that was read so long ago is read again; milliseconds of real time. */
const FRESH_MS = 20_000;
/** A floor has stood so long before what it covers is forgotten, so that nobody knows an older one. By the store's time. */
const SETTLE_MS = 120_000;
const MOST_KNOWN = 10_000;

interface Floor {
  readonly revision: number;
  /** When it was raised last. */
  readonly at: number;
}

/** The highest revision of all keys that a group has forgotten: a key that is written anew counts from there. */
export class Floors {
  private readonly known = new Map<string, { readonly revision: number; readonly readAt: number }>();

  constructor(private readonly store: NatsStore, private readonly records: JetLog, private readonly places: StatePlaces) {}

  /** For a key that was just found missing. */
  async of(group: string): Promise<number> {
    const known = this.known.get(group);
    if (known && performance.now() - known.readAt < FRESH_MS) return known.revision;
    const readAt = performance.now();
    const { revision } = (await this.read(group)).floor;
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(group, { revision, readAt });
    return revision;
  }

  /** Whether a revision may be forgotten. */
  async covers(group: string, revision: number): Promise<boolean> {
    const { floor } = await this.read(group);
    return floor.revision >= revision && floor.at + SETTLE_MS <= this.store.time.now();
  }

  async raise(group: string, revision: number): Promise<void> {
    for (;;) {
      const { floor, seq } = await this.read(group);
      if (floor.revision >= revision) return;
      const text = JSON.stringify({ revision, at: this.store.time.now() } satisfies Floor);
      if (await this.records.append(this.places.floorOf(group), { text, after: seq }) === undefined) continue;
      this.known.delete(group);
      return;
    }
  }

  private async read(group: string): Promise<{ readonly floor: Floor; readonly seq: number }> {
    const found = await this.records.last(this.places.floorOf(group));
    return { floor: found ? JSON.parse(found.text) as Floor : { revision: 0, at: 0 }, seq: found?.seq ?? 0 };
  }
}
