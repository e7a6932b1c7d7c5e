import { randomBytes } from 'node:crypto';
import { type Clock, type Timer, type Unsubscribe, wallTime } from '@treadle/api';
import type { Caller } from './caller.js';
import { digestOf, type SessionStore, type StoredSession } from './session-store.js';

/** How long a link that nobody opens is good for; milliseconds. */
const LINK_MS = 10 * 60_000;
/** How long a session lasts; milliseconds. */
const SESSION_MS = 7 * 86_400_000;
/** Sessions are looked through this often at least: the wall clock, by which they end, may be set; milliseconds. */
const LOOK_MS = 3_600_000;
/** The oldest ones give way. */
const MOST_LINKS = 100;
const MOST_SESSIONS = 1_000;

/** A secret that becomes a session once. */
export interface OneTimeLink {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Sessions of browsers: each began with a link that was opened once. They last 7 days, and outlive the engine where they have a store; links end with it. */
export class Sessions {
  private readonly links = new Map<string, { readonly caller: Caller; readonly until: number }>();
  /** By the digest of their id. */
  private readonly begun = new Map<string, StoredSession>();
  private readonly listeners = new Set<(caller: Caller) => void>();
  /** Run out, and told of. Kept: a wall clock that was ahead for a moment signs nobody out for good. */
  private readonly over = new WeakSet<StoredSession>();
  private looking: Timer | undefined;

  constructor(private readonly clock: Clock, private readonly store?: SessionStore) {}

  /** Takes up what a former run has left. */
  async open(): Promise<void> {
    for (const one of await this.store?.load(wallTime(this.clock)) ?? []) put(this.begun, one.id, one, MOST_SESSIONS);
    this.look();
  }

  /** Resolves when the store has everything. */
  async close(): Promise<void> {
    this.looking?.cancel();
    await this.store?.close();
  }

  /** A link for somebody. */
  link(caller: Caller): OneTimeLink {
    const token = secret();
    put(this.links, token, { caller, until: this.clock.monotonic() + LINK_MS }, MOST_LINKS);
    return { token, expiresAt: wallTime(this.clock) + LINK_MS };
  }

  /** The id of a new session; undefined when the link was opened before, is too old, or never was. */
  redeem(token: string): string | undefined {
    const link = this.links.get(token);
    this.links.delete(token);
    if (!link || this.clock.monotonic() > link.until) return undefined;
    const id = secret();
    // Of its own: what is open for it is found by it.
    const caller = { ...link.caller };
    const stored = { id: digestOf(id), caller, key: this.store?.keyOf(caller.name) ?? '', until: wallTime(this.clock) + SESSION_MS };
    const gone = put(this.begun, stored.id, stored, MOST_SESSIONS);
    this.save();
    if (gone) this.tell(gone.caller);
    this.look();
    return id;
  }

  callerOf(id: string): Caller | undefined {
    const found = this.begun.get(digestOf(id));
    return found && found.until > wallTime(this.clock) ? found.caller : undefined;
  }

  end(id: string): void {
    const ended = this.begun.get(digestOf(id));
    if (!ended) return;
    this.begun.delete(ended.id);
    this.save();
    this.tell(ended.caller);
  }

  /** Told of sessions that have ended, by the caller that `callerOf` gave. */
  onEnd(listener: (caller: Caller) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Tells of what has run out, so that what is open for it is closed, and looks again when the next one does. */
  private look(): void {
    this.looking?.cancel();
    const now = wallTime(this.clock);
    const left = [...this.begun.values()].filter((one) => !this.over.has(one));
    for (const one of left.filter(({ until }) => until <= now)) {
      this.over.add(one);
      this.tell(one.caller);
    }
    const nextMs = Math.min(LOOK_MS, ...left.map(({ until }) => until - now).filter((ms) => ms > 0));
    if (this.begun.size > 0) this.looking = this.clock.after(nextMs, () => this.look());
  }

  private tell(caller: Caller): void {
    for (const listener of [...this.listeners]) listener(caller);
  }

  private save(): void {
    this.store?.save([...this.begun.values()]);
  }
}

/** 192 random bits: nobody guesses a key, and how long a look-up of a wrong one takes tells nothing of the right ones. */
function secret(): string {
  return randomBytes(24).toString('base64url');
}

/** Gives what had to go for it. */
function put<T>(map: Map<string, T>, key: string, value: T, most: number): T | undefined {
  map.set(key, value);
  const [oldest] = map;
  if (map.size <= most || oldest === undefined) return undefined;
  map.delete(oldest[0]);
  return oldest[1];
}
