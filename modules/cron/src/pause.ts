import { type Clock, wallTime } from '@treadle/api';

/** Whether a trigger is paused, and until when. Moments are milliseconds since the epoch. */
export class Pause {
  /** Ticks before it are not run; 0: there is no pause. */
  private to = 0;

  constructor(private readonly clock: Clock) {}

  get on(): boolean {
    return this.to > wallTime(this.clock);
  }

  /** When it ends by itself; undefined: somebody has to end it, or there is none. */
  get until(): number | undefined {
    return this.on && this.to < Infinity ? this.to : undefined;
  }

  begin(until = Infinity): void {
    this.to = until;
  }

  end(): void {
    this.to = 0;
  }

  /** The end of a pause that is over by now; told once. */
  takeEnd(): number | undefined {
    const { to } = this;
    if (to === 0 || this.on) return undefined;
    this.end();
    return to;
  }
}
