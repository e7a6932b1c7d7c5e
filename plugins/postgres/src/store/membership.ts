import { OUTAGE_MS, OutageGrace } from '@treadle/api';
import { COPY_LOCK } from '../transfer/copy-schema.js';
import type { Queries } from './connections.js';

/** An engine without a sign of life for longer is gone, by the store's time; milliseconds. */
const GONE_MS = 3_800;
/** So many beats of our own without one of an engine that is still connected, and it counts as gone as well: it hangs. */
const SILENT_BEATS = 4;
/** After a start of the server engines need time to connect again. */
const RECONNECT_MS = 6_000;

/** A row of `members`. */
export interface Member extends Record<string, unknown> {
  readonly now: number;
  /** Since when there are beats again after none came for long. */
  readonly back_at: number;
  readonly member: number;
  readonly beat: number;
  readonly seen_at: number;
}

/** Members that seem to be gone; `hangs`: one that is connected still. */
export type Gone = readonly { readonly member: number; readonly hangs: boolean }[];

interface Observed {
  beat: number;
  /** Beats of ours since it last changed. */
  unchanged: number;
}

/**
 * Whether this engine counts as alive, and which others do. A member's number fences what it does: an engine that was
 * declared gone joins with another number, and nothing that it held comes back to it.
 */
export class Membership {
  /** 0 while this engine is no member. */
  member = 0;
  /** Other living members at the last beat. */
  others = 0;
  readonly grace = new OutageGrace();
  private readonly observed = new Map<number, Observed>();

  /** @param session answers in time, or fails */
  constructor(private readonly session: Queries, private readonly queries: Queries, private readonly engine: string) {}

  async join(): Promise<void> {
    const [row] = await this.session.rows<{ member: number; seen_at: number }>(
      'INSERT INTO members (engine, seen_at) VALUES ($1, store_time()) RETURNING member, seen_at', [this.engine]);
    this.member = row?.member ?? 0;
    await this.hold();
  }

  /** Shows to others that this engine is connected; waits while the store is copied. */
  async hold(): Promise<void> {
    if (this.member !== 0) await this.session.rows(`SELECT pg_advisory_lock_shared(${COPY_LOCK}), pg_advisory_lock_shared(member_key($1))`, [this.member]);
  }

  /** A sign of life. Gives the store's time, whether this engine is a member still, and who may be gone. */
  async beat(): Promise<{ readonly now: number; readonly alive: boolean; readonly gone: Gone }> {
    const rows = await this.session.rows<Member>('SELECT * FROM member_beat($1, $2)', [this.member, this.grace.returned ? OUTAGE_MS : null], 'beat');
    const { now = 0, back_at: backAt } = rows[0] ?? {};
    this.grace.beat(backAt);
    const others = rows.filter(({ member }) => member !== this.member);
    this.others = others.length;
    for (const known of this.observed.keys()) if (!others.some(({ member }) => member === known)) this.observed.delete(known);
    const gone = others.flatMap((other) => {
      const hangs = this.observe(other) >= SILENT_BEATS;
      return hangs || other.seen_at < now - GONE_MS ? [{ member: other.member, hangs }] : [];
    });
    return { now, alive: rows.length > others.length, gone: this.grace.judges(now) ? gone : [] };
  }

  /** Ends the membership of those who are gone. True when there was one. */
  async bury(gone: Gone): Promise<boolean> {
    if (gone.length === 0) return false;
    const [server] = await this.queries.rows<{ young: boolean }>(
      `SELECT clock_timestamp() - pg_postmaster_start_time() < ($1::integer * interval '1 millisecond') AS young`, [RECONNECT_MS]);
    let any = false;
    for (const { member, hangs } of gone) {
      if (server?.young && !hangs) continue;
      const [row] = await this.queries.rows<{ ended: boolean }>('SELECT member_end($1, $2) AS ended', [member, !hangs]);
      any ||= row?.ended ?? false;
    }
    return any;
  }

  /** Gives everything back. */
  async leave(): Promise<void> {
    const { member } = this;
    this.member = 0;
    if (member !== 0) await this.session.rows('SELECT member_end($1, false)', [member]);
  }

  private observe({ member, beat }: Member): number {
    const known = this.observed.get(member);
    if (known?.beat === beat) return known.unchanged += 1;
    this.observed.set(member, { beat, unchanged: 0 });
    return 0;
  }
}
