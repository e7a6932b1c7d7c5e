/** Turns of the event loop in which nothing must happen: more than anything inside the engine takes from one step to the next. */
const QUIET_TURNS = 10;

/** A process that takes longer to answer is held; milliseconds of real time. */
const HELD_MS = 500;

/** How long `quiet` waits. */
export interface Patience {
  /** Milliseconds of real time. */
  readonly limitMs: number;
  /** `all`: from the call on; `silent`: since something happened last. */
  readonly of: 'all' | 'silent';
  /** Work that is not waited for. */
  readonly without?: ReadonlySet<object>;
}

/** What is under way in a test engine, and when it is over. Event-driven: nothing is looked at by and by. */
export class Activity {
  /** Told of whatever happens. */
  onTouch: () => void = () => undefined;
  private readonly underWay = new Map<object, string>();
  private happened = 0;
  private listeners: (() => void)[] = [];

  /**
   * @param hasDue something runs with the next turn of the event loop
   * @param alive resolves when the process of the Steps answers
   */
  constructor(private readonly hasDue: () => boolean, private readonly alive?: () => Promise<void>) {}

  /** `work` begins, called `name` in errors. */
  begin(work: object, name: string): void {
    this.underWay.set(work, name);
    this.touch();
  }

  end(work: object): void {
    this.underWay.delete(work);
    this.touch();
  }

  /** Waits for what is under way as well. */
  async during<T>(name: string, run: () => Promise<T>): Promise<T> {
    const work = {};
    this.begin(work, name);
    try {
      return await run();
    } finally {
      this.end(work);
    }
  }

  /** Something has happened that may lead to more. */
  touch(): void {
    this.happened++;
    this.onTouch();
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }

  /** Everything that is under way. */
  all(): ReadonlySet<object> {
    return new Set(this.underWay.keys());
  }

  /** What is under way, in words. */
  names(): readonly string[] {
    return [...this.underWay.values()];
  }

  /** Resolves to true when nothing is under way and nothing comes of what was; to false when that takes too long. */
  async quiet(patience: Patience): Promise<boolean> {
    const { limitMs, of } = patience;
    let until = performance.now() + limitMs;
    while (performance.now() < until || await this.wasHeld()) {
      if (performance.now() >= until) until = performance.now() + limitMs;
      const seen = this.happened;
      if (this.isBusy(patience)) await this.next(until - performance.now());
      else if (await this.staysQuiet(seen)) return true;
      if (of === 'silent' && this.happened !== seen) until = performance.now() + limitMs;
    }
    return false;
  }

  /** Somebody looks at a handler in a debugger: what was waited for begins when its process goes on. */
  private async wasHeld(): Promise<boolean> {
    const asked = performance.now();
    await this.alive?.();
    return performance.now() - asked > HELD_MS;
  }

  private isBusy({ without }: Patience): boolean {
    if (!without || without.size === 0) return this.underWay.size > 0;
    return [...this.underWay.keys()].some((work) => !without.has(work));
  }

  private async staysQuiet(seen: number): Promise<boolean> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.happened !== seen || this.hasDue()) return false;
    }
    return true;
  }

  /** Resolves when something happens, and after `ms` in any case. */
  private async next(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.listeners.push(resolve);
      timer = setTimeout(resolve, Math.max(0, ms));
    });
    clearTimeout(timer);
  }
}
