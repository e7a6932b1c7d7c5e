import type { Server } from 'node:net';
import type { Clock, Timer } from './clock.js';
import type { ReconfigureContext } from './lifecycle.js';
import { listensAt, type ListenPlace } from './listening.js';

/** A server whose address may change while it serves. */
export interface MovableListener {
  readonly server: Server;
  /** Opens it at a place. @throws ADDRESS_IN_USE, ADDRESS_REFUSED */
  listen(place: Place): Promise<unknown>;
  /** Stops accepting at once; its connections stay. */
  giveWay(): void;
  /** Accepts again where it did. */
  comeBack(): Promise<unknown>;
  /** Gives way and resolves when its last connection is gone, or when the signal aborts. */
  leave(signal: AbortSignal): Promise<void>;
  /** Breaks off what is left. */
  close(): Promise<void>;
}

type Place = Pick<ListenPlace, 'host' | 'port'>;

/** Goes from address to address without a moment in which nobody listens: the new one is open before the former one goes. */
export class MovingListener<L extends MovableListener> {
  /** Those that still serve at former addresses; the timer is that of the end of their accepting. */
  private readonly former = new Map<L, Timer>();

  constructor(public current: L) {}

  /** The present one first. */
  get all(): readonly L[] {
    return [this.current, ...this.former.keys()];
  }

  /**
   * Listens at a place from now on. The former listener goes on accepting for `drainDelayMs` and then has `drainTimeoutMs` for
   * its connections; whoever returns to its address meanwhile finds it there. Two on one port whose addresses overlap, such as
   * 0.0.0.0 and 127.0.0.1, cannot both listen: then the former one gives way for the moment that the other takes, and comes back
   * when that fails.
   */
  async moveTo(place: Place, make: () => L, context: Pick<ReconfigureContext, 'clock' | 'drainDelayMs' | 'drainTimeoutMs'>): Promise<void> {
    const present = this.current;
    const there = await this.at(place);
    if (there === present) return;
    if (there) this.former.get(there)?.cancel();
    const next = there ?? make();
    if (!there) await this.open(next, place);
    this.former.delete(next);
    this.current = next;
    const { clock, drainDelayMs, drainTimeoutMs } = context;
    this.former.set(present, clock.after(drainDelayMs, () => void this.retire(present, clock, drainTimeoutMs)));
  }

  private async at(place: Place): Promise<L | undefined> {
    for (const listener of this.all) if (await listensAt(listener.server, place)) return listener;
    return undefined;
  }

  private async open(next: L, place: Place): Promise<void> {
    try {
      await next.listen(place);
    } catch (error) {
      const overlapping = this.all.filter(({ server }) => portOf(server) === place.port);
      if (overlapping.length === 0 || (error as { code?: string }).code !== 'ADDRESS_IN_USE') throw error;
      await this.squeezeIn(next, place, overlapping);
    }
  }

  private async squeezeIn(next: L, place: Place, overlapping: readonly L[]): Promise<void> {
    for (const listener of overlapping) listener.giveWay();
    try {
      await next.listen(place);
    } catch (error) {
      await Promise.all(overlapping.map((listener) => listener.comeBack()));
      throw error;
    }
  }

  private async retire(listener: L, clock: Clock, timeoutMs: number): Promise<void> {
    const over = new AbortController();
    const timer = clock.after(timeoutMs, () => over.abort());
    await listener.leave(over.signal);
    timer.cancel();
    await listener.close();
    this.former.delete(listener);
  }
}

function portOf(server: Server): number | undefined {
  const at = server.address();
  return at === null || typeof at === 'string' ? undefined : at.port;
}
