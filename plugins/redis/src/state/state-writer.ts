import { Batcher, DELETED_REVISION_MS, type StateEntry, type StateWrite, type StateWriteResult, TaskLane } from '@treadle/api';
import type { RedisStore } from '../store/redis-store.js';
import { afterOf, type Job, type Outcome, type Planned, planOf, rowsOf } from './state-plan.js';
import { entryOf, type Known, knownOf, type Place, placeOf, type Raw } from './state-rows.js';
import { READ, WRITE } from './state-scripts.js';

/** Keys and writes of one script call. */
const MOST = 200;
/** Characters of values of one script call. */
const MOST_CHARACTERS = 1_000_000;

type Outcomes = Map<Job, Outcome>;

/**
 * Writes entries. What decides by the present value is read first and written only if nobody has written the key meanwhile; else
 * it decides again. What comes while a write is under way goes with the next one, several writes of a key one after the other.
 */
export class StateWriter {
  private readonly batcher: Batcher<StateWrite, Outcome>;

  constructor(private readonly store: RedisStore, private readonly recorded: () => void) {
    this.batcher = new Batcher(new TaskLane(), MOST, (writes) => this.writeAll(writes));
  }

  async write(write: StateWrite): Promise<StateWriteResult> {
    const [outcome] = await this.batcher.add([write]);
    if (outcome?.result) return outcome.result;
    throw outcome?.thrown;
  }

  /** Entries of keys, in order. */
  async read(places: readonly Place[]): Promise<readonly (StateEntry | undefined)[]> {
    return (await this.known(places)).map(entryOf);
  }

  private async writeAll(writes: readonly StateWrite[]): Promise<readonly Outcome[]> {
    const outcomes: Outcomes = new Map();
    const jobs = writes.map((write): Job => {
      const place = placeOf(write);
      return { write, place, id: `${place.group}\0${place.key}` };
    });
    for (let left: readonly Job[] = jobs; left.length > 0;) left = await this.attempt(left, outcomes);
    return jobs.map((job) => outcomes.get(job) as Outcome);
  }

  /** Gives those that have to decide again. */
  private async attempt(jobs: readonly Job[], outcomes: Outcomes): Promise<readonly Job[]> {
    const reading = new Map(jobs.filter(({ write }) => !write.always).map(({ id, place }) => [id, place]));
    const found = await this.known([...reading.values()]);
    const known = new Map([...reading.keys()].map((id, index) => [id, found[index] as Known]));
    const planned: Planned[] = [];
    for (const job of jobs) {
      const plan = planOf(job, known.get(job.id), outcomes);
      if (!plan) continue;
      planned.push(plan);
      if (plan.from) known.set(job.id, afterOf(plan, plan.from));
    }
    const failed = await this.putAll(planned, outcomes);
    const again = new Set<string>();
    return jobs.filter((job) => {
      if (failed.has(job)) again.add(job.id);
      return again.has(job.id);
    });
  }

  /** Gives those that were not written: somebody else has written the key meanwhile, or they go by a write of which that is true. */
  private async putAll(planned: readonly Planned[], outcomes: Outcomes): Promise<ReadonlySet<Job>> {
    const failed = new Set<Job>();
    const lost = new Set<string>();
    for (let left = planned; left.length > 0;) {
      const portion = portionOf(left);
      const answers = await this.store.run(WRITE, [this.store.key('s:v')], [DELETED_REVISION_MS, ...rowsOf(portion, this.store.time)]) as readonly (Raw | null)[];
      const done = portion.slice(0, answers.length / 2);
      done.forEach((plan, index) => {
        if (answers[2 * index] === 1) outcomes.set(plan.job, { result: resultOf(plan, answers[2 * index + 1] ?? null) });
        else failed.add(plan.job);
        if (failed.has(plan.job)) lost.add(plan.job.id);
      });
      if (done.some(({ job }) => job.write.recordChange)) this.recorded();
      const rest = left.slice(done.length);
      for (const { job } of rest) if (lost.has(job.id)) failed.add(job);
      left = rest.filter(({ job }) => !failed.has(job));
    }
    return failed;
  }

  private async known(places: readonly Place[]): Promise<readonly Known[]> {
    const found: Known[] = [];
    while (found.length < places.length) {
      const some = places.slice(found.length, found.length + MOST).flatMap(({ group, key }) => [group, key]);
      found.push(...(await this.store.run(READ, [this.store.key('s:v')], some) as readonly Raw[]).map(knownOf));
    }
    return found;
  }
}

/** The first ones that go into one call. */
function portionOf(planned: readonly Planned[]): readonly Planned[] {
  let characters = 0;
  const end = planned.findIndex(({ text = '' }, index) => {
    characters += text.length;
    return index > 0 && characters > MOST_CHARACTERS;
  });
  return end < 0 ? planned : planned.slice(0, end);
}

/** @param raw null: the value is the one that the plan went by */
function resultOf(plan: Planned, raw: Raw | null): StateWriteResult {
  const before = raw === null ? plan.from as Known : knownOf(raw);
  return { before: entryOf(before), after: entryOf(afterOf(plan, before)) };
}
