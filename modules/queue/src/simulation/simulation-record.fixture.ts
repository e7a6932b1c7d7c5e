/** A message of a simulation, and what its handlers are to do. */
export interface SimulatedMessage {
  readonly id: string;
  readonly delayMs: number;
  /** Messages of a group have numbers from 1. */
  readonly place: { readonly group: string; readonly n: number } | undefined;
  /** What the runs end in, one after the other; those behind them succeed. */
  readonly ends: readonly ('fails' | 'dies')[];
  /** The run after `ends` fails for good. */
  readonly hopeless: boolean;
}

interface Life {
  readonly message: SimulatedMessage;
  /** When it was first sent; milliseconds. */
  readonly sentAt: number;
  acknowledged: boolean;
  /** Runs so far. */
  runs: number;
  failures: number;
  failedAt: number;
  /** Engine in which it came to its end last; 0: not yet. */
  endedIn: number;
  /** Engine and run that go on. */
  running: number | undefined;
}

/** Pause after a failed attempt, in milliseconds. */
export const BACKOFF_MS = 100;

/** What happened to each message, and what must not have. */
export class SimulationRecord {
  readonly faults: string[] = [];
  private readonly lives = new Map<string, Life>();
  private engine = 1;

  constructor(private readonly now: () => number) {}

  /** The engine is another one now: what ran in the former runs no more. */
  restarted(): void {
    this.engine += 1;
    for (const life of this.lives.values()) life.running = undefined;
  }

  get engines(): number {
    return this.engine;
  }

  sent(message: SimulatedMessage): void {
    if (this.lives.has(message.id)) return;
    this.lives.set(message.id, { message, sentAt: this.now(), acknowledged: false, runs: 0, failures: 0, failedAt: -Infinity, endedIn: 0, running: undefined });
  }

  acknowledged({ id }: SimulatedMessage): void {
    this.life(id).acknowledged = true;
  }

  /** Gives what this run is to end in. */
  began(id: string, attempt: number): 'fails' | 'dies' | 'ends' | 'fails for good' {
    const life = this.life(id);
    const { message, sentAt, running, endedIn, failures, failedAt } = life;
    if (running === this.engine) this.fault(life, 'runs twice at a time');
    if (endedIn === this.engine) this.fault(life, 'ran again in the engine in which it had ended');
    if (this.now() < sentAt + message.delayMs) this.fault(life, 'began before its delay was over');
    if (attempt > failures + 1) this.fault(life, `is at attempt ${attempt} after ${failures} failures`);
    if (attempt > 1 && attempt === failures + 1 && this.now() < failedAt + BACKOFF_MS) this.fault(life, 'began before its backoff was over');
    this.checkOrder(life);
    life.running = this.engine;
    const end = message.ends[life.runs] ?? (message.hopeless ? 'fails for good' : 'ends');
    life.runs += 1;
    return end;
  }

  /** A run ended in this; false: its engine is dead, nobody hears of it. */
  ended(id: string, engine: number, how: ReturnType<SimulationRecord['began']>): boolean {
    if (engine !== this.engine) return false;
    const life = this.life(id);
    life.running = undefined;
    if (how === 'fails') [life.failures, life.failedAt] = [life.failures + 1, this.now()];
    if (how === 'ends' || how === 'fails for good') life.endedIn = this.engine;
    return true;
  }

  /** After the last engine had all the time: everything acknowledged has come to its end. */
  finish(unfinished: number, dead: number): void {
    const lives = [...this.lives.values()];
    for (const life of lives) if (life.acknowledged && life.endedIn === 0) this.fault(life, 'was acknowledged and is lost');
    if (unfinished > 0) this.faults.push(`${unfinished} deliveries wait for nothing`);
    const hopeless = lives.filter(({ message, endedIn }) => message.hopeless && endedIn > 0).length;
    if (dead !== hopeless) this.faults.push(`${dead} dead letters of ${hopeless} hopeless messages`);
  }

  private checkOrder(life: Life): void {
    const { place } = life.message;
    if (!place) return;
    for (const other of this.lives.values()) {
      const at = other.message.place;
      if (at?.group !== place.group || other === life) continue;
      if (other.running === this.engine) this.fault(life, `runs beside ${other.message.id} of its group`);
      if (at.n < place.n && other.endedIn === 0) this.fault(life, `overtook ${other.message.id}`);
    }
  }

  private life(id: string): Life {
    return this.lives.get(id) as Life;
  }

  private fault({ message: { id } }: Life, what: string): void {
    this.faults.push(`${id} ${what} (engine ${this.engine}, ${this.now()} ms)`);
  }
}
