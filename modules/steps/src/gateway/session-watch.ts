import type { Clock, Timer } from '@treadle/api';
import { DEAD_AFTER_MS, HEARTBEAT_MS } from '@treadle/protocol';

/** A session that must be heard of. */
export interface Watched {
  /** For sessions without a heartbeat connection. */
  ping(): void;
  /** Nothing was heard of it for long. */
  unresponsive(reason: string): void;
  /** Its process lives, and a handler has blocked the main thread for long. */
  blocked(reason: string): void;
  /** Its main thread stands still, and has for about half a second. */
  held?(): void;
  /** Its main thread was late by so much at most since the last heartbeat; milliseconds. */
  delayed?(ms: number): void;
}

/** Set for each message of the main connection; a flag, because that must cost nothing. */
export interface Pulse {
  heard: boolean;
}

interface Entry extends Pulse {
  /** Of either connection. */
  lastHeard: number;
  /** When the event loop stood still for the last time, as the heartbeat says; the main connection proves otherwise. */
  blockedSince: number | undefined;
  lastPing: number;
  heartbeats: number;
}

const CHECK_MS = 250;
/** When a check comes this late, this process itself was stopped or blocked; milliseconds. */
const LATE_MS = 2_000;

/** Finds sessions whose process is stopped, cut off or blocked. */
export class SessionWatch {
  private readonly entries = new Map<Watched, Entry>();
  private timer: Timer | undefined;
  private lastCheck = 0;

  constructor(private readonly clock: Clock) {}

  add(session: Watched): Pulse {
    const now = this.clock.monotonic();
    const entry: Entry = { heard: true, lastHeard: now, blockedSince: undefined, lastPing: now, heartbeats: 0 };
    this.entries.set(session, entry);
    if (!this.timer) {
      this.lastCheck = now;
      this.timer = this.clock.every(CHECK_MS, () => this.check());
    }
    return entry;
  }

  remove(session: Watched): void {
    this.entries.delete(session);
    if (this.entries.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** A heartbeat connection came (+1) or went (-1); without one the engine asks by `ping`. */
  heartbeat(session: Watched, change: 1 | -1): void {
    const entry = this.entries.get(session);
    if (entry) entry.heartbeats += change;
  }

  /** What a heartbeat says of the main thread; a main thread that can answer a `ping` is not blocked any more. */
  alive(session: Watched, loopDelayMs: number, isHeld = false): void {
    const entry = this.entries.get(session);
    if (!entry) return;
    session.delayed?.(loopDelayMs);
    const now = this.clock.monotonic();
    entry.lastHeard = now;
    if (isHeld) session.held?.();
    if (loopDelayMs < HEARTBEAT_MS) {
      entry.blockedSince = undefined;
      return;
    }
    entry.blockedSince ??= now - loopDelayMs;
    session.ping();
  }

  private check(): void {
    const now = this.clock.monotonic();
    const late = now - this.lastCheck > LATE_MS;
    this.lastCheck = now;
    for (const [session, entry] of this.entries) {
      if (late || entry.heard) {
        // After a late check, what workers said meanwhile is still to be read.
        entry.lastHeard = now;
        entry.blockedSince = undefined;
      }
      entry.heard = false;
      this.judge(session, entry, now);
    }
  }

  private judge(session: Watched, entry: Entry, now: number): void {
    const seconds = DEAD_AFTER_MS / 1000;
    if (now - entry.lastHeard > DEAD_AFTER_MS) {
      this.remove(session);
      return session.unresponsive(`unresponsive for ${seconds} s`);
    }
    if (entry.blockedSince !== undefined && now - entry.blockedSince > DEAD_AFTER_MS) {
      this.remove(session);
      return session.blocked(`event loop blocked for ${seconds} s`);
    }
    if (entry.heartbeats > 0 || now - entry.lastPing < HEARTBEAT_MS) return undefined;
    entry.lastPing = now;
    return session.ping();
  }
}
