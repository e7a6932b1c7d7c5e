import type { ClearChanges, StateWrite, StateWriteResult, Unsubscribe } from '@treadle/api';
import { ChangeLog, type SettledMessage } from '../store/change-log.js';
import { inPortions } from '../store/in-portions.js';
import type { JetLog } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import { DueNotes } from './due-notes.js';
import { Floors } from './floors.js';
import { changesOf } from './state-changes.js';
import { StatePlaces } from './state-place.js';
import { StateReader } from './state-reader.js';
import { type StateParts, StateWriter } from './state-writer.js';

/** Keys that are removed at once. */
const PORTION = 100;

/** The state of one store as one engine sees it. */
export class StateStore {
  readonly reader: StateReader;
  private readonly writer: StateWriter;
  private readonly unlisten: Unsubscribe;

  private constructor(private readonly parts: StateParts) {
    const { store, log, places, notes } = parts;
    this.reader = new StateReader(store, log, places);
    this.writer = new StateWriter(parts);
    this.unlisten = store.listen({ beat: () => notes.beat() });
  }

  /** @throws {SERVICE_UNAVAILABLE} */
  static async open(store: NatsStore): Promise<StateStore> {
    const [log, records] = await Promise.all([store.log('state', 's'), store.records()]);
    const places = new StatePlaces(store.prefix);
    const changes: StateParts['changes'] = new ChangeLog(store, records, log, {
      kind: 'state', filter: places.all, changesOf: (message) => changesOf(message, log, places),
      settled: (message) => void tidy(log, message).catch(() => undefined),
    });
    const floors = new Floors(store, records, places);
    const notes = new DueNotes({ store, log, records, places, changes, floors });
    await notes.begin();
    return new StateStore({ store, log, places, changes, floors, notes });
  }

  get changes(): StateParts['changes'] {
    return this.parts.changes;
  }

  write(write: StateWrite): Promise<StateWriteResult> {
    return this.writer.write(write);
  }

  async clear(group: string, changes?: ClearChanges): Promise<number> {
    const keys = await this.reader.keys(group);
    const results = await inPortions(keys, PORTION, (key) => this.writer.write({
      group, key, recordChange: changes?.wants(key) ?? false, origin: changes?.origin, next: () => ({ action: 'delete' }), always: { action: 'delete' },
    }));
    return results.filter(({ before }) => before !== undefined).length;
  }

  /** Forgets what is dead, as happens from time to time. */
  sweep(): Promise<void> {
    return this.parts.notes.sweep();
  }

  async close(): Promise<void> {
    this.unlisten();
    await Promise.all([this.parts.notes.close(), this.parts.changes.close()]);
  }
}

/** Removes what a key was before a settled change, and what it was after that, unless a later change needs it. */
async function tidy(log: JetLog, { subject, seq, quietUpTo }: SettledMessage): Promise<void> {
  const last = await log.last(subject);
  if (last) await log.purge(subject, last.seq <= quietUpTo ? last.seq : seq);
}
