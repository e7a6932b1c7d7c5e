import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@treadle/testing';
import { request } from '../../support/http-client.js';
import type { SharedBackend } from '../../support/shared-backends.js';
import { waitUntil } from '../../support/wait-until.js';
import { JOURNAL, SCHEDULES, sharedApplication, type Totals } from './application.js';
import { Follower } from './follower.js';
import { type JournalEntry, journalOf, numbersOf } from './journal.js';
import { Line } from './line.js';
import { Producers, type Produced } from './producers.js';
import { type Accident, TriedEngine } from './tried-engine.js';
import { countedOf, disorderOf, lostOf, repeatedOf, ticksOf, told } from './verdict.js';

/** A run of two engines of one application. */
export interface EnginesRun {
  readonly backend: SharedBackend;
  /** How long one of them after the other has accidents. */
  readonly seconds: number;
  readonly accidents: readonly Accident[];
  /** Pause between the end of an accident and the next one, and how long one lasts that is no kill; milliseconds. */
  readonly betweenMs: readonly [least: number, most: number];
  readonly lastingMs: readonly [least: number, most: number];
  readonly keys: number;
  /** Pause of the client of a key after an answer; milliseconds. */
  readonly pauseMs: number;
  readonly seed: number;
}

/** Figures, and what should not be. */
export interface EnginesResult {
  readonly accidents: Readonly<Partial<Record<Accident, number>>>;
  /** Engines that ended while they started, and were started again. */
  readonly failedStarts: number;
  readonly acknowledged: number;
  /** Sent without an answer, because an engine was killed, or refused. */
  readonly unknown: number;
  /** The longest time after which an engine refused a request; milliseconds. */
  readonly slowestRefusal: number;
  readonly refused: Readonly<Record<string, number>>;
  /** Handlers that began again with what had begun. */
  readonly repeated: { readonly ordered: number; readonly counted: number };
  /** Counted twice, where the Step cannot be atomic. */
  readonly surplus: number;
  readonly ticks: { readonly expected: number; readonly cut: number };
  readonly followers: { readonly events: number; readonly resumed: number };
  readonly seconds: number;
  readonly faults: readonly string[];
}

const ENGINES = ['first', 'second'] as const;
const FOLLOWERS = 3;
const MOVE_MS = 1_500;
/** Cut runs of cron are given to another engine when their lease is over, at its next look. */
const SETTLED_MS = 60_000;
const LONGEST_MS = 1_800_000;
/** Ticks at the ends that may belong to an engine that starts or is asked to stop. */
const MARGIN_MS = 1_000;

/** Lets one of two engines after the other have an accident under load, and checks in the end that nobody could have noticed. */
export async function runEngines(run: EnginesRun): Promise<EnginesResult> {
  const began = performance.now();
  const lines = { first: await Line.to(run.backend.adapters), second: await Line.to(run.backend.adapters) };
  const cwd = sharedApplication(run.backend, { first: lines.first.adapters, second: lines.second.adapters });
  const engines = ENGINES.map((name) => new TriedEngine(cwd, name, lines[name]));
  const living = (kind: 'http' | 'stream'): readonly string[] => engines.flatMap(({ addresses }) => addresses?.[kind] ?? []);
  await Promise.all(engines.map((engine) => engine.start()));
  const from = Date.now() + MARGIN_MS;
  const followers = Array.from({ length: FOLLOWERS }, (_, index) => new Follower(() => living('stream'), index));
  const moving = setInterval(() => followers[Math.floor(Math.random() * FOLLOWERS)]?.move(), MOVE_MS);
  const producers = new Producers(() => living('http'), run.keys, run.pauseMs);
  try {
    const accidents = await sufferInTurn(run, engines);
    clearInterval(moving);
    const produced = await producers.stop();
    const until = Date.now() - MARGIN_MS;
    const journal = (): readonly JournalEntry[] => journalOf(readFileSync(join(cwd, JOURNAL), 'utf8'));
    const dead = await settled(engines, () => ticksOf(journal(), SCHEDULES, from, until).missing.length === 0 && lost(produced, journal()).length === 0);
    const totals = (await request('GET', `${living('http')[0]}/totals`)).json as Totals;
    const late = await unlike(followers, totals);
    await Promise.all([...followers, ...engines].map((each) => each.stop()));
    const retired = engines.flatMap(({ outputs }) => outputs).flatMap((output) => output.split('\n').filter((line) => line.includes('was retired')));
    const { faults, ...figures } = judged(produced, journal(), { totals, from, until, atomic: run.backend.oneStore });
    return {
      accidents, failedStarts: sum(engines, ({ failedStarts }) => failedStarts), ...figures, followers: { events: sum(followers, ({ events }) => events), resumed: sum(followers, ({ resumed }) => resumed) },
      seconds: Math.round((performance.now() - began) / 1000),
      faults: [...faults, ...dead, ...late, ...told('faults of streams', followers.flatMap((follower) => follower.faults)), ...told('subscriptions retired', retired)],
    };
  } finally {
    clearInterval(moving);
    await producers.stop();
    await Promise.all([...followers.map((follower) => follower.stop()), ...engines.map((engine) => engine.kill())]);
    await Promise.all(Object.values(lines).map((line) => line.stop()));
  }
}

async function sufferInTurn({ seconds, accidents, betweenMs, lastingMs, seed }: EnginesRun, engines: readonly TriedEngine[]): Promise<EnginesResult['accidents']> {
  const random = seededRandom(seed);
  const within = ([least, most]: readonly [number, number]): number => least + random() * (most - least);
  const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const counts: Partial<Record<Accident, number>> = {};
  const end = performance.now() + seconds * 1000;
  for (let first = true; ; first = false) {
    await sleep(within(betweenMs));
    if (!first && performance.now() > end) return counts;
    const accident = oneOf(accidents);
    counts[accident] = (counts[accident] ?? 0) + 1;
    await oneOf(engines).suffer(accident, within(lastingMs));
  }
}

/** Waits until everything has been handled, as long as something is; tells what then does not run any more. */
async function settled(engines: readonly TriedEngine[], isWhole: () => boolean): Promise<readonly string[]> {
  const admin = engines[0]?.admin;
  if (!admin) return [];
  let [left, since] = ['', performance.now()];
  await waitUntil('the end of the work', async () => {
    const gathered = await admin.gathered();
    if (gathered.join() !== left) [left, since] = [gathered.join(), performance.now()];
    return (gathered.every((line) => line.endsWith(': 0')) && isWhole()) || performance.now() - since > SETTLED_MS;
  }, LONGEST_MS);
  const subscriptions = await admin.subscriptions();
  const steps = subscriptions.map(({ step }) => step).sort();
  return [
    ...left === 'Counted: 0,Ordered: 0' ? [] : [`left in the queue: ${left}`], ...steps.join() === 'Counted,Ordered' ? [] : [`subscriptions of ${steps.join()}`],
    ...subscriptions.filter(({ dead }) => dead > 0).map(({ step, dead }) => `${dead} dead letters of ${step}`),
  ];
}

/** Followers that do not come to show what the stream has. */
async function unlike(followers: readonly Follower[], { board }: Totals): Promise<readonly string[]> {
  const wanted = JSON.stringify(board.map(({ key, count }) => [key, count]).sort());
  const shown = ({ items }: Follower): string => JSON.stringify([...items.values()].map((item) => [(item as { key: string }).key, (item as { count: number }).count]).sort());
  await waitUntil('the followers', () => followers.every((follower) => shown(follower) === wanted), SETTLED_MS).catch(() => undefined);
  return followers.filter((follower) => shown(follower) !== wanted).map((follower) => `a follower shows ${shown(follower)} instead of ${wanted}`);
}

function lost({ acknowledged }: Produced, journal: readonly JournalEntry[]): readonly string[] {
  return [...lostOf(acknowledged, numbersOf(journal, 'ended', 'ordered')), ...lostOf(acknowledged, numbersOf(journal, 'began', 'counted'))];
}

type Judged = Pick<EnginesResult, 'acknowledged' | 'unknown' | 'slowestRefusal' | 'refused' | 'repeated' | 'surplus' | 'ticks' | 'faults'>;

function judged(
  produced: Produced, journal: readonly JournalEntry[],
  { totals, from, until, atomic }: { readonly totals: Totals; readonly from: number; readonly until: number; readonly atomic: boolean },
): Judged {
  const [ordered, counted] = [numbersOf(journal, 'began', 'ordered'), numbersOf(journal, 'began', 'counted')];
  const { missing, twice, ...ticks } = ticksOf(journal, SCHEDULES, from, until);
  const { surplus, faults } = countedOf(counted, totals, atomic);
  return {
    acknowledged: sum([...produced.acknowledged.values()], ({ length }) => length), unknown: produced.unknown, slowestRefusal: produced.slowestRefusal, refused: produced.refused,
    repeated: { ordered: repeatedOf(ordered), counted: repeatedOf(counted) }, surplus, ticks,
    faults: [
      ...told('messages lost', lost(produced, journal)), ...told('violations of order', disorderOf(produced.acknowledged, journal)),
      ...told('ticks missing', missing), ...told('ticks run twice', twice), ...faults,
    ],
  };
}

function sum<T>(all: readonly T[], figure: (one: T) => number): number {
  return all.reduce((total, one) => total + figure(one), 0);
}
