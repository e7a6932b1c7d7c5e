import type { SharedChanges, Unsubscribe } from '@treadle/api';
import { MOST_BYTES, PAGE_BYTES } from './pages.js';
import type { RedisStore } from './redis-store.js';
import { Script } from './script.js';

const ID = /^\d{1,19}-\d{1,19}$/;

/** Task, member, lease: whether that member does the task for all until its lease is over. */
const LEAD = new Script('changes.lead', `
  local name, member = base .. 'lead:' .. ARGV[1], ARGV[2]
  local found = redis.call('HMGET', name, 'member', 'until')
  if found[1] and found[1] ~= member and tonumber(found[2]) > now() and alive(found[1]) then return 0 end
  redis.call('HSET', name, 'member', member, 'until', num(now() + ARGV[3]))
  return 1`, false);
const ANY = new Script('changes.any', "return redis.call('XLEN', base .. ARGV[1])", false);
/** Name, how many, and an id behind '=' or '>', or ''. Gives whether there may be more, and ids and fields: behind that id, with '=' only where it is pending. */
const PENDING = new Script('changes.pending', `
  local name, left, bytes, portion, id = base .. ARGV[1], tonumber(ARGV[2]), 0, 1, string.sub(ARGV[3], 2)
  local behind = id ~= '' and (string.sub(ARGV[3], 1, 1) == '>' or #redis.call('XRANGE', name, id, id) == 1)
  local found, from = { 0 }, behind and '(' .. id or '-'
  while left > 0 do
    local some = redis.call('XRANGE', name, from, '+', 'COUNT', math.min(left, portion))
    for _, entry in ipairs(some) do
      found[#found + 1] = entry
      from = '(' .. entry[1]
      left = left - 1
      for _, text in ipairs(entry[2]) do bytes = bytes + #text end
    end
    if #some == 0 then break end
    if bytes > ${MOST_BYTES} then
      found[1] = 1
      break
    end
    portion = math.min(portion * 2, 64)
  end
  return found`, false);
const SETTLE = new Script('changes.settle', "for i = 2, #ARGV do redis.call('XDEL', base .. ARGV[1], ARGV[i]) end");

/** What every feed asks of the server. */
export const FEED_SCRIPTS: readonly Script[] = [LEAD, ANY, PENDING, SETTLE];

/** A change as it waits: its id, and the fields that its script wrote. */
export interface WaitingChange {
  readonly id: string;
  readonly fields: ReadonlyMap<string, string>;
}

interface Feed {
  /** Of its notices. */
  readonly channel: 'state' | 'stream';
  /** Text that tells that a change was stored, among others of the channel. */
  readonly word: string;
  /** The Redis stream in which the changes wait. */
  readonly key: string;
}

/** Id, then names and values. */
type StoredChange = readonly [string, readonly string[]];

/** Pending changes: which engine hands them on, and who is told that there are some. */
export class ChangeFeed implements SharedChanges {
  private readonly listeners = new Set<() => void>();
  private readonly unlisten: readonly Unsubscribe[];

  constructor(private readonly store: RedisStore, private readonly feed: Feed) {
    this.unlisten = [
      store.on(feed.channel, (text) => {
        if (text === feed.word) this.tell();
      }),
      store.listen({
        beat: async () => {
          if (await this.run(ANY, []) !== 0) this.tell();
        },
      }),
    ];
  }

  async lead(leaseMs: number): Promise<boolean> {
    const { store, feed } = this;
    return await store.run(LEAD, [store.key(`lead:${feed.key}`)], [feed.key, store.members.member, Math.ceil(leaseMs)]) === 1;
  }

  onChanges(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** A change of this engine was stored: others may have to hand it on. */
  stored(): void {
    this.store.notify(this.feed.channel, [this.feed.word]);
  }

  /** Oldest first; a page of large ones ends early. */
  async pending(limit: number, after = ''): Promise<readonly WaitingChange[]> {
    const changes: WaitingChange[] = [];
    let from = ID.test(after) ? `=${after}` : '';
    for (let bytes = 0, more = 1; more === 1 && changes.length < limit && bytes <= PAGE_BYTES; from = `>${changes.at(-1)?.id ?? ''}`) {
      const [left, ...found] = await this.run(PENDING, [limit - changes.length, from]) as readonly [number, ...StoredChange[]];
      for (const [id, texts] of found) {
        changes.push({ id, fields: new Map(texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1] ?? ''] as const] : []))) });
        bytes += texts.reduce((sum, text) => sum + text.length, 0);
      }
      more = left;
    }
    return changes;
  }

  async settle(ids: readonly string[]): Promise<void> {
    const known = ids.filter((id) => ID.test(id));
    for (let at = 0; at < known.length; at += 500) await this.run(SETTLE, known.slice(at, at + 500));
  }

  close(): void {
    for (const end of this.unlisten) end();
    this.listeners.clear();
  }

  private run(script: Script, args: readonly (string | number)[]): Promise<unknown> {
    return this.store.run(script, [this.store.key(this.feed.key)], [this.feed.key, ...args]);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
