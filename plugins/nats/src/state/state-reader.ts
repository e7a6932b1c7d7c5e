import type { StateEntry, StateGroupPage, StatePage } from '@treadle/api';
import type { JetLog } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import { namesOfPage, type PageOptions, takePage } from '../store/pages.js';
import { entryOf, isLive, keptOf } from './kept-entry.js';
import type { StatePlaces } from './state-place.js';

const CODE = 'StateInvalidArgument';
const AT_ONCE = 20;

/** Reads what is stored. Names of a listing are asked of the server, which has them in memory; nothing is kept here. */
export class StateReader {
  constructor(private readonly store: NatsStore, private readonly log: JetLog, private readonly places: StatePlaces) {}

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    const found = await this.find(this.places.keyOf(group, key));
    return found && entryOf(found);
  }

  /** @throws an `OperationError` `StateInvalidArgument` for a cursor that no page gave; `listGroups` too */
  async list(group: string, options: PageOptions): Promise<StatePage> {
    const names = namesOfPage(await this.keys(group), options, CODE);
    const { items, ...rest } = await takePage(names, options.limit, (key) => this.find(this.places.keyOf(group, key)), ({ text }) => text.length);
    return { items: items.map(({ name, found }) => ({ key: name, ...entryOf(found) })), ...rest };
  }

  async listGroups(options: PageOptions): Promise<StateGroupPage> {
    const groups = new Map<string, string[]>();
    for (const subject of await this.log.subjects(this.places.all)) {
      const { group } = this.places.namesOf(subject);
      const known = groups.get(group);
      if (known) known.push(subject);
      else groups.set(group, [subject]);
    }
    const names = namesOfPage(groups.keys(), options, CODE);
    const { items, ...rest } = await takePage(names, options.limit, (group) => this.anyLive(groups.get(group) ?? []));
    return { items: items.map(({ name }) => name), ...rest };
  }

  /** Keys of a group, also such that were deleted or have expired. */
  async keys(group: string): Promise<readonly string[]> {
    return (await this.log.subjects(this.places.groupOf(group))).map((subject) => this.places.namesOf(subject).key);
  }

  private async anyLive(subjects: readonly string[]): Promise<true | undefined> {
    for (let at = 0; at < subjects.length; at += AT_ONCE) {
      const found = await Promise.all(subjects.slice(at, at + AT_ONCE).map((subject) => this.find(subject)));
      if (found.some((entry) => entry !== undefined)) return true;
    }
    return undefined;
  }

  private async find(subject: string): Promise<{ readonly text: string; readonly revision: number } | undefined> {
    const message = await this.log.last(subject);
    const found = message && keptOf(message);
    return isLive(found, this.store.time.now()) ? found : undefined;
  }
}
