import { type Clock, EARLY, type Turn, TURN_PHASES, type TurnPhase } from '@treadle/api';

/** Who takes part in a phase. */
interface Part {
  readonly run: () => void;
  asked: boolean;
}

type Asked = Record<TurnPhase, Part[]>;

/** See `Turn`. The check phase follows the poll phase directly, so waiting for the end of a turn costs no latency. */
export class EngineTurn implements Turn {
  private readonly asked = Object.fromEntries(TURN_PHASES.map((phase) => [phase, []])) as unknown as Asked;
  private scheduled = false;
  /** The turn has ended and `frames` comes once more. */
  private committed = false;
  private early = false;
  /** Until when claims of this turn are early; undefined before the first. Milliseconds of the monotonic clock. */
  private earlyUntil: number | undefined;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  at(phase: TurnPhase, run: () => void): () => void {
    const part: Part = { run, asked: false };
    return () => {
      if (part.asked) return;
      part.asked = true;
      this.asked[phase].push(part);
      if (phase === 'claim') this.claimSoon();
      else if (phase !== 'frames' || !this.committed) this.schedule();
    };
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.end);
  }

  private readonly end = (): void => {
    this.scheduled = false;
    this.earlyUntil = undefined;
    this.run('enqueue');
    this.run('settle');
    this.run('claim');
    this.run('frames');
    if (this.asked.commit.length === 0) return;
    this.committed = true;
    this.run('commit');
    // Ticks run when no microtask is left, so what is awaited of the commit has arrived where frames are gathered.
    queueMicrotask(() => process.nextTick(this.afterCommit));
  };

  private readonly afterCommit = (): void => {
    this.committed = false;
    this.run('frames');
  };

  /** See `EARLY.claimMs`. */
  private claimSoon(): void {
    if (this.early) return;
    if (this.earlyUntil !== undefined && this.clock.monotonic() >= this.earlyUntil) {
      this.schedule();
      return;
    }
    this.early = true;
    queueMicrotask(this.claimEarly);
  }

  private readonly claimEarly = (): void => {
    this.early = false;
    if (this.earlyUntil === undefined) {
      this.earlyUntil = this.clock.monotonic() + EARLY.claimMs;
      this.schedule();
    }
    this.run('claim');
  };

  private run(phase: TurnPhase): void {
    const parts = this.asked[phase];
    if (parts.length === 0) return;
    this.asked[phase] = [];
    for (const part of parts) {
      part.asked = false;
      try {
        part.run();
      } catch (error) {
        queueMicrotask(() => { throw error; });
      }
    }
  }
}
