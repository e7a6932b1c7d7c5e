import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { DeadLetter, DeadLetterSelection, QueueAdapter } from '@treadle/api';
import { historyEntries } from './history.js';

/** Letters whose last errors are alike. */
export interface LetterGroup {
  /** 16 hex digits; of Step, topic, reason, and the error without what differs from one to the next. */
  readonly fingerprint: string;
  readonly step: string;
  readonly topic: string;
  readonly reason: DeadLetter['reason'];
  readonly errorName?: string | undefined;
  /** Of the newest. */
  readonly message: string;
  readonly count: number;
  /** ISO 8601: when the oldest and the newest died. */
  readonly first: string;
  readonly last: string;
  /** Ids of the newest. */
  readonly samples: readonly string[];
}

/** The most frequent first. */
export interface LetterGroups {
  readonly items: readonly LetterGroup[];
  readonly examined: number;
  readonly truncated: boolean;
}

/** Letters that are looked at, the newest. */
export const MOST_EXAMINED = 10_000;
/** Letters whose ids are given at once. */
const MOST_IDS = 100_000;
/** Letters that are in memory together: each may hold a message of the greatest size. */
const PAGE = 100;
const MOST_SAMPLES = 5;
const IDS = /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,64}|\w*\d\w*)\b/gi;

/** What letters that failed alike have in common. */
export function fingerprintOf({ step, topic, reason, progress }: DeadLetter): string {
  const { name = '', code = '', message = '' } = historyEntries(progress.history).at(-1) ?? {};
  return createHash('sha256').update([step, topic, reason, code, name, message.replaceAll(IDS, '#')].join('\n')).digest('hex').slice(0, 16);
}

/** Newest first. */
async function* examined(adapter: QueueAdapter, selection: DeadLetterSelection, most: number): AsyncGenerator<DeadLetter> {
  let cursor: string | undefined;
  for (let left = most; left > 0; left -= PAGE) {
    const page = await adapter.deadLetters(selection, { limit: PAGE, cursor });
    yield* page.items;
    ({ cursor } = page);
    if (cursor === undefined) return;
    await turn();
  }
}

/** Gathers letters by how they failed. */
export async function letterGroups(adapter: QueueAdapter, selection: DeadLetterSelection): Promise<LetterGroups> {
  const groups = new Map<string, { -readonly [K in keyof LetterGroup]: LetterGroup[K] }>();
  let count = 0;
  for await (const letter of examined(adapter, selection, MOST_EXAMINED)) {
    count += 1;
    const fingerprint = fingerprintOf(letter);
    const died = new Date(letter.deadAt).toISOString();
    const known = groups.get(fingerprint);
    if (known) Object.assign(known, { count: known.count + 1, first: died, ...known.samples.length < MOST_SAMPLES && { samples: [...known.samples, letter.id] } });
    else groups.set(fingerprint, newGroup(letter, fingerprint, died));
  }
  return { items: [...groups.values()].sort((a, b) => b.count - a.count), examined: count, truncated: count === MOST_EXAMINED };
}

/** Ids of what is chosen, the newest first; with a test those that fit. */
export async function letterIds(adapter: QueueAdapter, selection: DeadLetterSelection, fits: (letter: DeadLetter) => boolean = () => true): Promise<{ readonly items: readonly string[]; readonly truncated: boolean }> {
  const items: string[] = [];
  let count = 0;
  for await (const letter of examined(adapter, selection, MOST_IDS)) {
    count += 1;
    if (fits(letter)) items.push(letter.id);
  }
  return { items, truncated: count === MOST_IDS };
}

function newGroup({ id, step, topic, reason, progress }: DeadLetter, fingerprint: string, died: string): LetterGroup {
  const { name: errorName, message = '' } = historyEntries(progress.history).at(-1) ?? {};
  return { fingerprint, step, topic, reason, ...errorName !== undefined && { errorName }, message, count: 1, first: died, last: died, samples: [id] };
}
