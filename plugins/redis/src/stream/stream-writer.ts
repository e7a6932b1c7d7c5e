import { Batcher, encodeKey, type StateEntry, type StreamEvent, type StreamGroup, type StreamWrite, type StreamWriteResult, TaskLane } from '@treadle/api';
import type { RedisStore } from '../store/redis-store.js';
import { afterOf, type Job, NOTHING, type Outcome, ownEvent, type Planned, planOf, resultOf, rowsOf, type SentEvent } from './stream-plan.js';
import { entryOf, groupName, type KnownItem, knownItem } from './stream-rows.js';
import { READ, WRITE } from './stream-scripts.js';

/** Items and writes of one script call. */
const MOST = 200;
/** Characters of values of one script call. */
const MOST_CHARACTERS = 1_000_000;
/** Values of an answer for one row. */
const ANSWERS = 4;

type Outcomes = Map<Job, Outcome>;

/** Where an item is. */
export interface ItemPlace {
  /** Of the group, in the store's form. */
  readonly name: string;
  readonly id: string;
}

/** What was written at once: events of all groups, and whether there are changes for triggers among them. */
export type Happened = (events: readonly StreamEvent[], changes: boolean) => Promise<void>;

/** Writes items and events. What comes while a write is under way goes with the next one. */
export class StreamWriter {
  /** Own writes, one batch after the other. */
  readonly lane = new TaskLane();
  private readonly batcher: Batcher<Job, Outcome>;

  /** @param happened resolves when watchers were told */
  constructor(private readonly store: RedisStore, private readonly happened: Happened) {
    this.batcher = new Batcher(this.lane, MOST, (jobs) => this.writeAll(jobs));
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    const group = { stream: write.stream, groupId: write.groupId };
    return await this.add({ group, key: `${groupName(group)}\0${write.id}`, write }) as StreamWriteResult;
  }

  async send(group: StreamGroup, send: SentEvent): Promise<void> {
    await this.add({ group, key: '', send });
  }

  async read(places: readonly ItemPlace[]): Promise<readonly (StateEntry | undefined)[]> {
    return (await this.known(places)).map(entryOf);
  }

  private async add(job: Job): Promise<StreamWriteResult | undefined> {
    const [outcome] = await this.batcher.add([job]);
    if (outcome && 'thrown' in outcome) throw outcome.thrown;
    return outcome?.result;
  }

  private async writeAll(jobs: readonly Job[]): Promise<readonly Outcome[]> {
    const outcomes: Outcomes = new Map();
    for (let left = jobs; left.length > 0;) left = await this.attempt(left, outcomes);
    return jobs.map((job) => outcomes.get(job) as Outcome);
  }

  /** Gives those that have to decide again. */
  private async attempt(jobs: readonly Job[], outcomes: Outcomes): Promise<readonly Job[]> {
    const places = new Map(jobs.flatMap(({ group, key, write }) => (write ? [[key, { name: groupName(group), id: write.id }] as const] : [])));
    const found = await this.known([...places.values()]);
    const known = new Map([...places.keys()].map((key, index) => [key, found[index] as KnownItem]));
    const planned: Planned[] = [];
    for (const job of jobs) {
      const plan = planOf(job, known.get(job.key) ?? NOTHING, outcomes);
      if (!plan) continue;
      planned.push(plan);
      if (job.write) known.set(job.key, afterOf(plan));
    }
    const failed = await this.putAll(planned, outcomes);
    const again = new Set<string>();
    return jobs.filter((job) => {
      if (failed.has(job)) again.add(job.key);
      return job.write && again.has(job.key);
    });
  }

  /** Gives those that were not written: somebody else has written the item meanwhile, or they go by a write of which that is true. */
  private async putAll(planned: readonly Planned[], outcomes: Outcomes): Promise<ReadonlySet<Job>> {
    const failed = new Set<Job>();
    const lost = new Set<string>();
    for (let left = planned; left.length > 0;) {
      const done = await this.put(left, outcomes);
      for (const { job } of done) if (!outcomes.has(job)) failed.add(job);
      for (const { key } of failed) lost.add(key);
      const rest = left.slice(done.length);
      for (const { job } of rest) if (job.write && lost.has(job.key)) failed.add(job);
      left = rest.filter(({ job }) => !failed.has(job));
    }
    return failed;
  }

  /** Writes the first ones, and gives those that were tried. */
  private async put(planned: readonly Planned[], outcomes: Outcomes): Promise<readonly Planned[]> {
    const portion = portionOf(planned);
    const [epoch = '', ...answers] = await this.store.run(WRITE, [this.store.key('t:v')], [this.store.serverRun, ...rowsOf(portion)]) as readonly string[];
    const tried = portion.slice(0, answers.length / ANSWERS);
    const events = tried.flatMap((plan, index) => {
      const [ok, seq, at, kind = ''] = answers.slice(index * ANSWERS, (index + 1) * ANSWERS);
      if (Number(ok) !== 1) {
        outcomes.delete(plan.job);
        return [];
      }
      outcomes.set(plan.job, { result: resultOf(plan) });
      return [ownEvent(plan, { epoch, seq: Number(seq), at: Number(at), kind })];
    });
    await this.happened(events, tried.some(({ job, origin }) => origin !== undefined && outcomes.has(job)));
    return tried;
  }

  private async known(places: readonly ItemPlace[]): Promise<readonly KnownItem[]> {
    const found: KnownItem[] = [];
    while (found.length < places.length) {
      const some = places.slice(found.length, found.length + MOST).flatMap(({ name, id }) => [name, encodeKey(id)]);
      found.push(...(await this.store.run(READ, [this.store.key('t:v')], some) as readonly (string | number)[]).map(knownItem));
    }
    return found;
  }
}

/** The first ones that go into one call. */
function portionOf(planned: readonly Planned[]): readonly Planned[] {
  let characters = 0;
  const end = planned.findIndex(({ text }, index) => {
    characters += text.length;
    return index > 0 && characters > MOST_CHARACTERS;
  });
  return end < 0 ? planned : planned.slice(0, end);
}
