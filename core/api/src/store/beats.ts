import type { Unsubscribe } from '../unsubscribe.js';
import { BeatTask } from './beat-task.js';

/** Who looks after something of a store at each beat, about each second while the server answers. */
export interface BeatListener {
  /** None comes while one is under way. `anew`: what was told since the last one that ended well may be lost. */
  beat?(anew: boolean): Promise<void>;
}

/**
 * The beats of the parts of an engine that use one store. Nobody's beat waits for those of others, and the engine's own sign of life for none: one may
 * remove what thousands of keys have left, while an engine that is silent for some seconds counts as gone.
 */
export class Beats {
  private readonly all = new Map<BeatListener, BeatTask>();
  private readonly working = new Set<Promise<void>>();

  /** @param failed a beat did */
  constructor(private readonly failed: (error: unknown) => void) {}

  add(listener: BeatListener): Unsubscribe {
    this.all.set(listener, new BeatTask(async (anew) => listener.beat?.(anew)));
    return () => void this.all.delete(listener);
  }

  beat(anew: boolean): void {
    for (const task of this.all.values()) {
      const working = task.run(anew).catch(this.failed).finally(() => this.working.delete(working));
      this.working.add(working);
    }
  }

  /** Waits for beats that are under way. */
  async idle(): Promise<void> {
    await Promise.all(this.working);
  }
}
