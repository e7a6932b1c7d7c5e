import { decodeKey, encodeKey, type Json, type PendingChange, type StateGroupPage, type StateItem, type StateListOptions, type StatePage } from '@treadle/api';
import type { ChangeFeed, WaitingChange } from '../store/change-feed.js';
import { encodeCursor, nameRange, PAGE_BYTES, rangeBehind } from '../store/pages.js';
import type { RedisStore } from '../store/redis-store.js';
import type { Script } from '../store/script.js';
import { entryOf, knownOf } from './state-rows.js';
import { GROUPS, KEYS, LIST } from './state-scripts.js';

export type PageOptions = Required<Pick<StateListOptions, 'limit'>> & StateListOptions;

const CODE = 'StateInvalidArgument';
/** Names that one script call looks at. */
const PORTION = 500;

/** What a script has found in a range; `more`: there may be more behind the last name that it looked at. */
interface Names {
  readonly more: boolean;
  readonly last: string;
  readonly found: readonly string[];
}

/** Reads pages: as many script calls as they need, each of which looks at some names. */
export class StateReader {
  constructor(private readonly store: RedisStore, private readonly changes: ChangeFeed) {}

  /** @throws an `OperationError` `StateInvalidArgument` for a cursor that no page gave; `listGroups` too */
  async list(group: string, { limit, ...options }: PageOptions): Promise<StatePage> {
    const items: StateItem[] = [];
    let bytes = 0;
    let range = nameRange(options, CODE);
    for (let more = true; more && items.length <= limit && bytes <= PAGE_BYTES;) {
      const { last, found, ...rest } = await this.names(LIST, [encodeKey(group), range.from, range.to, Math.min(PORTION, limit + 1 - items.length)]);
      for (let at = 0; at < found.length; at += 2) {
        const [key = '', raw = ''] = found.slice(at, at + 2);
        bytes += raw.length;
        const entry = entryOf(knownOf(raw));
        if (entry) items.push({ key: decodeKey(key), ...entry });
      }
      range = rangeBehind(last, range);
      more = rest.more;
      if (more && bytes > PAGE_BYTES && items.length <= limit) return { items, cursor: encodeCursor(last) };
    }
    return pageOf(items, limit, ({ key }) => key);
  }

  async listGroups({ limit, ...options }: PageOptions): Promise<StateGroupPage> {
    const items: string[] = [];
    let range = nameRange(options, CODE);
    for (let more = true; more && items.length <= limit;) {
      const { last, found, ...rest } = await this.names(GROUPS, [range.from, range.to, Math.min(PORTION, limit + 1 - items.length)]);
      items.push(...found.map(decodeKey));
      range = rangeBehind(last, range);
      more = rest.more;
    }
    return pageOf(items, limit, (group) => group);
  }

  /** Some keys of a group behind one, live or not, in their order. */
  async keys(group: string, after: string | undefined): Promise<readonly string[]> {
    const all = nameRange({}, CODE);
    const { from, to } = after === undefined ? all : rangeBehind(encodeKey(after), all);
    return (await this.run(KEYS, [encodeKey(group), from, to, PORTION]) as readonly string[]).map(decodeKey);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    return (await this.changes.pending(limit, after)).map(changeOf);
  }

  private async names(script: Script, args: readonly (string | number | Buffer)[]): Promise<Names> {
    const [more, last, ...found] = await this.run(script, args) as readonly [number, string, ...string[]];
    return { more: more === 1, last, found };
  }

  private run(script: Script, args: readonly (string | number | Buffer)[]): Promise<unknown> {
    return this.store.run(script, [this.store.key('s:v')], args);
  }
}

/** Of one more than the limit the last one only shows that there is another page. */
function pageOf<T>(found: readonly T[], limit: number, nameOf: (item: T) => string): { readonly items: readonly T[]; readonly cursor?: string } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last !== undefined ? { items, cursor: encodeCursor(encodeKey(nameOf(last))) } : { items };
}

/** A missing value is '' there; of the old one its revision comes first. */
function changeOf({ id, fields }: WaitingChange): PendingChange {
  const text = (name: string): string => fields.get(name) ?? '';
  const old = text('old') === '' ? undefined : knownOf(text('old')).text;
  const now = text('new') === '' ? undefined : text('new');
  const origin = text('origin');
  const parsed = (json: string | undefined): Json | undefined => (json === undefined ? undefined : JSON.parse(json) as Json);
  return {
    id, group: decodeKey(text('group')), key: decodeKey(text('key')), revision: Number(text('revision')), oldText: old, newText: now,
    get oldValue(): Json | undefined {
      return parsed(old);
    },
    get newValue(): Json | undefined {
      return parsed(now);
    },
    bytes: (old?.length ?? 0) + (now?.length ?? 0), ...origin.startsWith('o') && { origin: origin.slice(1) },
  };
}
