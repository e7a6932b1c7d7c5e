import type { ApplicationCatalog, Clock, Timer } from '@treadle/api';

interface Watched {
  readonly signature: string;
  /** Absent once the time has passed. */
  timer: Timer | undefined;
}

/**
 * Says of which applications everything that their catalog does not name is gone for good: those whose catalog has been
 * complete and unchanged for `delayMs`. An application that is not known is never among them.
 */
export class Retirement {
  private readonly watched = new Map<string, Watched>();

  constructor(private readonly clock: Clock, private delayMs: number, private readonly onDue: () => void) {}

  /** Looks at the catalogs as they are now. */
  follow(catalogs: readonly ApplicationCatalog[]): void {
    const complete = new Map(catalogs.filter(({ complete: is }) => is).map((catalog) => [catalog.application, signatureOf(catalog)]));
    for (const [application, { signature }] of this.watched) {
      if (complete.get(application) !== signature) this.forget(application);
    }
    for (const [application, signature] of complete) {
      if (!this.watched.has(application)) this.watch(application, signature);
    }
  }

  /** Milliseconds. */
  get delay(): number {
    return this.delayMs;
  }

  isDue(application: string): boolean {
    const watched = this.watched.get(application);
    return watched !== undefined && watched.timer === undefined;
  }

  /** Those who wait begin anew; those who have waited have. */
  setDelay(ms: number): void {
    if (ms === this.delayMs) return;
    this.delayMs = ms;
    const waiting = [...this.watched.values()].filter(({ timer }) => timer !== undefined);
    for (const watched of waiting) this.wait(watched);
    if (ms === 0 && waiting.length > 0) this.onDue();
  }

  close(): void {
    for (const application of [...this.watched.keys()]) this.forget(application);
  }

  private watch(application: string, signature: string): void {
    const watched: Watched = { signature, timer: undefined };
    this.watched.set(application, watched);
    this.wait(watched);
  }

  private wait(watched: Watched): void {
    watched.timer?.cancel();
    watched.timer = undefined;
    if (this.delayMs === 0) return;
    watched.timer = this.clock.after(this.delayMs, () => {
      watched.timer = undefined;
      this.onDue();
    });
  }

  private forget(application: string): void {
    this.watched.get(application)?.timer?.cancel();
    this.watched.delete(application);
  }
}

function signatureOf({ steps }: ApplicationCatalog): string {
  return JSON.stringify(steps.map(({ id, configHash }) => [id, configHash]).sort());
}
