import type { Clock, CronAdapter, CronClaimed, CronClaimRule, CronRun } from '@treadle/api';
import { type RepeatedTicks, tickOf } from './repeated-ticks.js';
import { LEASE_MS } from './runs/run-leases.js';
import { isLate } from './runs/run-recorder.js';
import { unbegun } from './runs/run-request.js';

/** A record and what became of it. `given_back`: it was claimed, and is anybody's by now. */
export interface TickClaim {
  readonly run: CronRun;
  readonly became: CronClaimed | 'given_back';
}

interface RoundParts {
  readonly adapter: CronAdapter;
  readonly clock: Clock;
  readonly repeated: RepeatedTicks;
}

/** A run that this engine holds, or may hold, and that nobody was told of. */
interface Owned {
  /** As it is given back: nothing of it has begun. */
  readonly run: CronRun;
  /** When the store was asked; milliseconds of the monotonic clock. */
  readonly at: number;
}

/** How many of the newest records of a trigger are looked through for one. */
const NEWEST = 100;

/** Claims records of one trigger, and owns what it has claimed until the round is over. */
export class ClaimRound {
  private readonly held = new Map<string, Owned>();
  /** Ticks with a record that comes from a claim without an answer. */
  private readonly own = new Set<number>();

  /** @param unanswered what rounds before this one have left */
  constructor(private readonly parts: RoundParts, private readonly unanswered: readonly CronRun[]) {
    for (const run of unanswered) this.hold(run);
  }

  /** As it is given back. */
  get owned(): readonly CronRun[] {
    return [...this.held.values()].map(({ run }) => run);
  }

  owns(id: string): boolean {
    return this.held.has(id);
  }

  /** What was stored although its claim was not answered. */
  async found(): Promise<readonly TickClaim[]> {
    const { unanswered, parts: { adapter } } = this;
    const found: TickClaim[] = [];
    if (unanswered.length > 0) await adapter.finish(unanswered);
    for (const run of unanswered) {
      this.hold(run);
      const taken = await adapter.takeOver(run, LEASE_MS);
      if (taken) found.push({ run: taken, became: 'claimed' });
      if (taken || await this.isStored(run)) this.own.add(tickOf(run));
      if (!taken) this.held.delete(run.id);
    }
    return found;
  }

  /** A tick that comes a second time, because the time of day was put back, has a record under a moment of its own. */
  async claim(runs: readonly CronRun[], rule: CronClaimRule): Promise<readonly TickClaim[]> {
    const claims = await this.ask(runs, rule);
    const again = claims.flatMap(({ run, became }) => (became === 'taken' && !this.own.has(tickOf(run)) ? this.repetitionOf(run) : []));
    return again.length === 0 ? claims : [...claims, ...await this.ask(again, rule)];
  }

  /** Ends the round. What was claimed too long ago is given back, with all the rest: whoever takes it up has the attempts that these would have been. */
  async kept(claims: readonly TickClaim[]): Promise<readonly TickClaim[]> {
    const { adapter, clock } = this.parts;
    const now = clock.monotonic();
    if (![...this.held.values()].some(({ at }) => isLate(adapter, now - at))) return claims;
    await adapter.finish(this.owned);
    return claims.map((claim) => (claim.became === 'claimed' && this.held.has(claim.run.id) ? { ...claim, became: 'given_back' } : claim));
  }

  private async ask(runs: readonly CronRun[], rule: CronClaimRule): Promise<readonly TickClaim[]> {
    for (const run of runs) if (run.status === 'running') this.hold(run.attempt > 0 ? unbegun(run) : run);
    const outcomes = await this.parts.adapter.claim(runs, LEASE_MS, rule);
    return runs.map((run, index) => {
      const became = outcomes[index] ?? 'taken';
      if (became !== 'claimed') this.held.delete(run.id);
      return { run, became };
    });
  }

  private hold(run: CronRun): void {
    this.held.set(run.id, { run, at: this.parts.clock.monotonic() });
  }

  /** Another engine has taken it up meanwhile. */
  private async isStored(run: CronRun): Promise<boolean> {
    return (await this.parts.adapter.runs(run, NEWEST)).some(({ id }) => id === run.id);
  }

  private repetitionOf(run: CronRun): readonly CronRun[] {
    const scheduledAt = this.parts.repeated.record(run.scheduledAt);
    return scheduledAt === run.scheduledAt ? [] : [{ ...run, scheduledAt }];
  }
}
