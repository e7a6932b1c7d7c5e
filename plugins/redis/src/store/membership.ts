import { OUTAGE_MS, OutageGrace, TreadleError, treadleError } from '@treadle/api';
import { ENTER } from '../transfer/copy-scripts.js';
import type { Connection } from './connection.js';
import { Script } from './script.js';

/** An engine without a sign of life for longer is gone, by the store's time; milliseconds. */
const GONE_MS = 3_800;
/** So many beats of our own without one of an engine that is still connected, and it counts as gone as well: it hangs. */
const SILENT_BEATS = 4;
/** After a start of the server engines need time to connect again; milliseconds. */
const RECONNECT_MS = 6_000;
/** Version of what the keys hold. */
const LAYOUT = 1;
/** How long one remembers which members have ended; milliseconds. */
export const ENDED_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * `members`: number -> beats and time of the last one. `ended`: number -> when. `server`: which run of the server, and since when engines use it after another
 * one; `seen`: the last beat of anybody, `back`: since when there are beats again after none came for long. Numbers follow the time, so that none comes again where a server has forgotten the last ones.
 */
const JOIN = new Script('member.join', `
  redis.call('SETNX', base .. 'layout', ${LAYOUT})
  if tonumber(redis.call('GET', base .. 'layout')) > ${LAYOUT} then return false end
  ${ENTER}
  local member = num(math.max((tonumber(redis.call('GET', base .. 'member') or '0')) + 1, now()))
  redis.call('SET', base .. 'member', member)
  redis.call('HSET', base .. 'members', member, '0 ' .. num(now()))
  return member`);
const BEAT = new Script('member.beat', `
  local member, run, apart = ARGV[1], ARGV[2], ARGV[3] == '1'
  local seen = tonumber(redis.call('HGET', base .. 'server', 'seen') or '')
  local all = redis.call('HGETALL', base .. 'members')
  for i = 1, #all, 2 do
    if all[i] ~= member then seen = math.max(seen or 0, tonumber(string.match(all[i + 1], ' (%d+)$'))) end
  end
  if apart and seen and now() - seen >= ${OUTAGE_MS} then redis.call('HSET', base .. 'server', 'back', num(now())) end
  redis.call('HSET', base .. 'server', 'seen', num(now()))
  local there = redis.call('HGET', base .. 'members', member)
  if there then
    local beats = tonumber(string.match(there, '^(%d+) '))
    redis.call('HSET', base .. 'members', member, (beats + 1) .. ' ' .. num(now()))
  end
  local before = redis.call('HGET', base .. 'server', 'run')
  if before ~= run then redis.call('HSET', base .. 'server', 'run', run, 'since', before and num(now()) or 0) end
  return { num(now()), redis.call('HGET', base .. 'server', 'since'), redis.call('HGET', base .. 'server', 'back') or '', redis.call('HGETALL', base .. 'members') }`, false);
/** ARGV: a member whose membership ends. */
export const END = new Script('member.end', `
  if redis.call('HDEL', base .. 'members', ARGV[1]) == 0 then return 0 end
  redis.call('ZADD', base .. 'ended', num(now()), ARGV[1])
  redis.call('ZREMRANGEBYSCORE', base .. 'ended', '-inf', num(now() - ${ENDED_MS}))
  redis.call('SADD', base .. 'q:void', ARGV[1])
  return 1`, false);

export const MEMBER_SCRIPTS: readonly Script[] = [JOIN, BEAT, END];

/** What the membership asks of the store. */
export interface MemberStore {
  /** For people. */
  readonly name: string;
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Which members have a connection that hears notices. */
  connected(members: readonly number[]): Promise<ReadonlySet<number>>;
}

interface Observed {
  beats: string;
  /** Beats of ours since it last changed. */
  unchanged: number;
}

interface Suspect {
  readonly member: number;
  readonly hangs: boolean;
}

/**
 * Whether this engine counts as alive, and which others do. A member's number fences what it does: an engine that was declared gone joins with another number,
 * and nothing that it held comes back to it. What becomes of what a member held when it ends: scripts ask `alive(member)`, and `q:void` lists those whose
 * claims are still to be freed.
 */
export class Membership {
  /** 0 while this engine is no member. */
  member = 0;
  /** Other living members at the last beat. */
  others = 0;
  readonly grace = new OutageGrace();
  private readonly observed = new Map<number, Observed>();

  constructor(private readonly store: MemberStore) {}

  /** @throws {STORE_NEWER} when a newer version has written the store; {STORE_IN_USE} while it is copied; {COPY_UNFINISHED} when it is half of a copy */
  async join(): Promise<void> {
    const member = await this.store.run(JOIN, [], []);
    if (member === null) throw new TreadleError('STORE_NEWER', 'the store was written by a newer version', 'use that version of @treadle/redis again, or another prefix');
    const { name: store } = this.store;
    if (member === 'copying') throw treadleError('STORE_IN_USE', { store, users: '"treadle store copy" runs' });
    if (member === 'half') throw treadleError('COPY_UNFINISHED', { store });
    this.member = Number(member);
  }

  /** A sign of life. Gives the store's time, whether this engine is a member still, and whether another one's membership has ended now. */
  async beat(run: string): Promise<{ readonly now: number; readonly alive: boolean; readonly buried: boolean }> {
    const [time, since, back, all] = await this.store.run(BEAT, [], [this.member, run, this.grace.returned ? 1 : 0]) as [string, string, string, string[]];
    const now = Number(time);
    this.grace.beat(back === '' ? undefined : Number(back));
    const rows = Array.from({ length: all.length / 2 }, (_, index) => ({ member: Number(all[2 * index]), beats: all[2 * index + 1] ?? '' }));
    const others = rows.filter(({ member }) => member !== this.member);
    this.others = others.length;
    for (const known of this.observed.keys()) if (!others.some(({ member }) => member === known)) this.observed.delete(known);
    const suspects = others.flatMap(({ member, beats }): Suspect[] => {
      const hangs = this.observe(member, beats) >= SILENT_BEATS;
      const seen = Number(beats.split(' ')[1]);
      return hangs || (seen < now - GONE_MS && Number(since) < now - RECONNECT_MS) ? [{ member, hangs }] : [];
    });
    return { now, alive: rows.length > others.length, buried: this.grace.judges(now) && await this.bury(suspects) };
  }

  /** Gives everything back. */
  async leave(): Promise<void> {
    const { member } = this;
    this.member = 0;
    if (member !== 0) await this.store.run(END, [], [member]);
  }

  private async bury(suspects: readonly Suspect[]): Promise<boolean> {
    if (suspects.length === 0) return false;
    const connected = await this.store.connected(suspects.map(({ member }) => member));
    let any = false;
    for (const { member, hangs } of suspects) {
      if (hangs || !connected.has(member)) any = await this.store.run(END, [], [member]) === 1 || any;
    }
    return any;
  }

  private observe(member: number, text: string): number {
    const [beats = ''] = text.split(' ');
    const known = this.observed.get(member);
    if (known?.beats === beats) return known.unchanged += 1;
    this.observed.set(member, { beats, unchanged: 0 });
    return 0;
  }
}

/** Which members have a connection that hears their channel. */
export async function connectedOf(connection: Connection, channelOf: (member: number) => string, members: readonly number[]): Promise<ReadonlySet<number>> {
  const counts = await connection.ask((client) => client.pubsub('NUMSUB', ...members.map(channelOf))) as readonly unknown[];
  return new Set(members.filter((_, index) => Number(counts[2 * index + 1]) > 0));
}
