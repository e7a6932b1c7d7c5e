import { randomBytes } from 'node:crypto';
import { type Clock, type Unsubscribe, wallTime } from '@treadle/api';
import type { Caller } from './caller.js';

/** How long a link that nobody opens is good for; milliseconds. */
const LINK_MS = 10 * 60_000;
/** The oldest ones give way. */
const MOST_LINKS = 100;
const MOST_SESSIONS = 1_000;

/** A secret that becomes a session once. */
export interface OneTimeLink {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Sessions of browsers: each began with a link that was opened once. They end with the engine. */
export class Sessions {
  private readonly links = new Map<string, { readonly caller: Caller; readonly until: number }>();
  private readonly open = new Map<string, Caller>();
  private readonly listeners = new Set<(caller: Caller) => void>();

  constructor(private readonly clock: Clock) {}

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
    const gone = put(this.open, id, { ...link.caller }, MOST_SESSIONS);
    if (gone) this.tell(gone);
    return id;
  }

  callerOf(id: string): Caller | undefined {
    return this.open.get(id);
  }

  end(id: string): void {
    const caller = this.open.get(id);
    this.open.delete(id);
    if (caller) this.tell(caller);
  }

  /** Told of sessions that have ended, by the caller that `callerOf` gave. */
  onEnd(listener: (caller: Caller) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(caller: Caller): void {
    for (const listener of [...this.listeners]) listener(caller);
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
