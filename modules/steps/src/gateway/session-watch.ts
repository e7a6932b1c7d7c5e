import type { Clock, Timer } from '@treadle/api';
import { DEAD_AFTER_MS, HEARTBEAT_MS } from '@treadle/protocol';

/** A session that must be heard of. */
export interface Watched {
  /** For sessions without a heartbeat connection. */
  ping(): void;
  unresponsive(reason: string): void;
}

/** Set by whoever hears something; a flag, because it is set for each message. */
export interface Pulse {
  heard: boolean;
}

interface Entry extends Pulse {
  lastHeard: number;
  lastPing: number;
  heartbeats: number;
}

const CHECK_MS = 500;

/** Finds sessions whose process is stopped, cut off or blocked. @source reliability design, D-8 */
export class SessionWatch {
  private readonly entries = new Map<Watched, Entry>();
  private timer: Timer | undefined;
  private lastCheck = 0;

  constructor(private readonly clock: Clock) {}

  add(session: Watched): Pulse {
    const now = this.clock.monotonic();
    const entry: Entry = { heard: true, lastHeard: now, lastPing: now, heartbeats: 0 };
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

  /** What a heartbeat says of the main thread. */
  alive(session: Watched, loopDelayMs: number): void {
    const entry = this.entries.get(session);
    if (entry) entry.heard = true;
    if (loopDelayMs > DEAD_AFTER_MS) this.giveUp(session, `event loop blocked for ${Math.round(loopDelayMs / 1000)} s`);
  }

  private check(): void {
    const now = this.clock.monotonic();
    const late = now - this.lastCheck > 4 * CHECK_MS;
    this.lastCheck = now;
    for (const [session, entry] of this.entries) {
      // This process itself was stopped or blocked, so what workers said meanwhile is still to be read.
      if (late || entry.heard) entry.lastHeard = now;
      entry.heard = false;
      if (now - entry.lastHeard > DEAD_AFTER_MS) this.giveUp(session, `unresponsive for ${DEAD_AFTER_MS / 1000} s`);
      else if (entry.heartbeats === 0 && now - entry.lastPing >= HEARTBEAT_MS) {
        entry.lastPing = now;
        session.ping();
      }
    }
  }

  private giveUp(session: Watched, reason: string): void {
    this.remove(session);
    session.unresponsive(reason);
  }
}
