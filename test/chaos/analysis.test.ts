import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { tempFolder } from '../support/temp-folder.js';
import { faultsIn, type Verdict } from './src/verdict.js';

const ANALYSIS = fileURLToPath(new URL('checker/analysis.mjs', import.meta.url));

type Event = Readonly<Record<string, unknown>>;

const sent = (n: number, key = 'k'): Event[] => [{ type: 'attempted', id: `${key}${n}`, lane: 'ordered', key, n }, { type: 'acknowledged', id: `${key}${n}` }];
const began = (n: number, run: string, pid = 1, key = 'k'): Event => ({ type: 'began', id: `${key}${n}`, stage: 'ordered', key, n, pid, run });
const ended = (run: string): Event => ({ type: 'ended', run });
/** `unsettled`: numbers of key k that the store still held. */
const kill = (what: 'engine' | 'worker', pid = 1, ...unsettled: number[]): Event[] => {
  const names = { unsettled: unsettled.map((n) => `ordered k${n}`) };
  return what === 'engine'
    ? [{ type: 'killing', what, pid }, { type: 'killed', what, pid, ...names }]
    : [{ type: 'looking' }, { type: 'killing', what, pid, ...names }, { type: 'killed', what, pid }];
};

interface Case {
  readonly name: string;
  readonly events: readonly (Event | readonly Event[])[];
  readonly finds: Partial<Verdict>;
  readonly faults: readonly string[];
}

const CASES: readonly Case[] = [
  { name: 'nothing wrong with a message that ran', events: [sent(1), began(1, 'a'), ended('a')], finds: { attempted: 1, acknowledged: 1, executed: 1, lost: 0 }, faults: [] },
  { name: 'an acknowledged message that never ran lost', events: [sent(1)], finds: { lost: 1 }, faults: ['lost: 1'] },
  { name: 'an acknowledged message that never came to its end lost', events: [sent(1), began(1, 'a'), kill('engine')], finds: { lost: 1 }, faults: ['lost: 1'] },
  {
    name: 'a chain that stopped half way lost',
    events: [{ type: 'attempted', id: 'c', lane: 'chain' }, { type: 'acknowledged', id: 'c' }, { type: 'began', id: 'c', stage: 'one', run: 'a' }, ended('a')],
    finds: { lost: 1 }, faults: ['lost: 1'],
  },
  {
    name: 'an unknown outcome allowed either way',
    events: [{ type: 'attempted', id: 'k1', lane: 'ordered' }, { type: 'unknown', id: 'k1' }, { type: 'attempted', id: 'k2', lane: 'ordered' }, { type: 'unknown', id: 'k2' }, began(2, 'a'), ended('a')],
    finds: { unknown: 2, recovered: 1, lost: 0 }, faults: [],
  },
  { name: 'a message that nobody sent unexpected', events: [began(7, 'a'), ended('a')], finds: { unexpected: 1 }, faults: ['unexpected: 1'] },
  {
    name: 'a refused message that ran unexpected',
    events: [{ type: 'attempted', id: 'k1', lane: 'ordered' }, { type: 'refused', id: 'k1' }, began(1, 'a'), ended('a')], finds: { unexpected: 1 }, faults: ['unexpected: 1'],
  },
  {
    name: 'a repeat of what ran at a kill explained',
    events: [sent(1), began(1, 'a'), kill('engine', 1, 1), { type: 'started' }, began(1, 'b', 2), ended('b')], finds: { duplicated: 1, engineKills: 1 }, faults: [],
  },
  {
    name: 'a repeat of what had ended but not in the store explained, however long before the kill',
    events: [sent(1), began(1, 'a'), ended('a'), { type: 'wait' }, kill('engine', 1, 1), began(1, 'b', 2), ended('b')],
    finds: { duplicated: 1, longestUnsettledMs: 501 }, faults: [],
  },
  {
    name: 'a repeat of what had ended in the store not explained, however short before the kill',
    events: [sent(1), sent(2), began(1, 'a'), ended('a'), began(2, 'b'), kill('engine', 1, 2), began(1, 'c', 2), ended('c'), began(2, 'd', 2), ended('d')],
    finds: { duplicated: 2 }, faults: ['duplicatedWithoutCause: 1'],
  },
  {
    name: 'a repeat of what the killed worker had ended but the store had no end of explained',
    events: [sent(1), began(1, 'a', 5), ended('a'), kill('worker', 5, 1), began(1, 'b', 6), ended('b')], finds: { duplicated: 1 }, faults: [],
  },
  {
    name: 'a repeat of what the killed worker had ended in the store not explained',
    events: [sent(1), began(1, 'a', 5), ended('a'), kill('worker', 5), began(1, 'b', 6), ended('b')], finds: { duplicated: 1 }, faults: ['duplicatedWithoutCause: 1'],
  },
  {
    name: 'a repeat of what another worker had ended not explained by the store',
    events: [sent(1), began(1, 'a', 4), ended('a'), kill('worker', 5, 1), began(1, 'b', 6), ended('b')], finds: { duplicated: 1 }, faults: ['duplicatedWithoutCause: 1'],
  },
  {
    name: 'what began and ended between the look into the store and the kill in flight',
    events: [
      sent(1), { type: 'looking' }, began(1, 'a', 5), ended('a'), { type: 'killing', what: 'worker', pid: 5 }, { type: 'killed', what: 'worker', pid: 5 },
      began(1, 'b', 6), ended('b'),
    ],
    finds: { duplicated: 1 }, faults: [],
  },
  {
    name: 'what a killed worker said last in flight, although it comes after the line of its death',
    events: [sent(1), kill('worker', 5), began(1, 'a', 5), began(1, 'b', 6), ended('b')], finds: { duplicated: 1, overlaps: 0 }, faults: [],
  },
  {
    name: 'ends that were never written by their age',
    events: [sent(1), began(1, 'a'), ended('a'), ...Array.from({ length: 21 }, () => ({ type: 'wait' })), kill('engine', 1, 1), began(1, 'b', 2), ended('b')],
    finds: { duplicated: 1 }, faults: ['ends that were not written after 10501 ms'],
  },
  { name: 'a repeat without a kill not explained', events: [sent(1), began(1, 'a'), ended('a'), began(1, 'b'), ended('b')], finds: { duplicated: 1 }, faults: ['duplicatedWithoutCause: 1'] },
  {
    name: 'a repeat of what the killed worker did not have not explained',
    events: [sent(1), began(1, 'a', 1), kill('worker', 2), ended('a'), began(1, 'b', 1), ended('b')], finds: { duplicated: 1 }, faults: ['duplicatedWithoutCause: 1'],
  },
  {
    name: 'what a killed worker took with it and nobody got again',
    events: [sent(1), began(1, 'a', 5), kill('worker', 5)], finds: { neverRedelivered: 1 }, faults: ['lost: 1', 'neverRedelivered: 1'],
  },
  {
    name: 'an older message after a newer one out of order',
    events: [sent(1), sent(2), began(2, 'a'), ended('a'), began(1, 'b'), ended('b')], finds: { orderViolations: 1 }, faults: ['orderViolations: 1'],
  },
  {
    name: 'going back after a kill of the engine in order',
    events: [sent(1), sent(2), began(1, 'a'), ended('a'), began(2, 'b'), kill('engine', 1, 1, 2), began(1, 'c', 2), ended('c'), began(2, 'd', 2), ended('d')], finds: { orderViolations: 0, duplicated: 2 }, faults: [],
  },
  {
    name: 'a message that is new after a kill but older than what ran before it out of order',
    events: [sent(1), sent(2), began(2, 'a'), ended('a'), kill('engine'), began(1, 'b', 2), ended('b')], finds: { orderViolations: 1 }, faults: ['orderViolations: 1'],
  },
  {
    name: 'two messages of a key at a time, but not of two keys',
    events: [sent(1), sent(2), sent(1, 'o'), began(1, 'a'), began(1, 'x', 1, 'o'), began(2, 'b'), ended('a'), ended('b'), ended('x')], finds: { overlaps: 1 }, faults: ['overlaps: 1'],
  },
  {
    name: 'no overlap with a run whose worker was killed',
    events: [sent(1), began(1, 'a', 5), kill('worker', 5), began(1, 'b', 6), ended('b')], finds: { overlaps: 0, workerKills: 1, neverRedelivered: 0 }, faults: [],
  },
  {
    name: 'what a superseded run did stale',
    events: [sent(1), { ...began(1, 'a'), key: undefined }, { ...began(1, 'b'), key: undefined, expectedRepeat: true }, { type: 'effect', run: 'a' }, { type: 'effect', run: 'b' }, ended('b')],
    finds: { staleEffects: 1 }, faults: ['staleEffects: 1'],
  },
  {
    name: 'a repeat of what a worker of the killed engine began late explained, and in order',
    events: [
      sent(1), sent(2), began(1, 'a', 5), ended('a'), kill('engine', 1, 1, 2), began(2, 'b', 5), { type: 'started' }, began(1, 'c', 6), ended('c'), began(2, 'd', 6), ended('d'),
    ],
    finds: { duplicated: 2 }, faults: [],
  },
  {
    name: 'a message behind a failed one that did not wait for it out of order',
    events: [
      sent(1), sent(2), began(1, 'a'), { type: 'failed', run: 'a' }, began(2, 'b'), ended('b'), { ...began(1, 'c'), expectedRepeat: true }, ended('c'),
    ],
    finds: { orderViolations: 1, failed: 1, lost: 0, duplicated: 0 }, faults: ['orderViolations: 1'],
  },
  {
    name: 'a message that waited for a failed one in order',
    events: [
      sent(1), sent(2), began(1, 'a'), { type: 'failed', run: 'a' }, { ...began(1, 'c'), expectedRepeat: true }, ended('c'), began(2, 'b'), ended('b'),
    ],
    finds: { orderViolations: 0, overlaps: 0 }, faults: [],
  },
  { name: 'a message that failed and never ran again lost', events: [sent(1), began(1, 'a'), { type: 'failed', run: 'a' }], finds: { lost: 1 }, faults: ['lost: 1'] },
  {
    name: 'nothing of a superseded run that a killed worker took with it',
    events: [
      sent(1), { ...began(1, 'a', 5), key: undefined }, { ...began(1, 'b', 6), key: undefined, expectedRepeat: true }, ended('b'), kill('worker', 5),
    ],
    finds: { neverRedelivered: 0 }, faults: [],
  },
  {
    name: 'messages after the last fault that were not acknowledged',
    events: [{ type: 'tail' }, { type: 'attempted', id: 'k1', lane: 'ordered' }, { type: 'refused', id: 'k1' }],
    finds: { tailAttempted: 1, tailAcknowledged: 0 }, faults: ['after the last fault 0 of 1 were acknowledged'],
  },
];

describe('the chaos checker calls', () => {
  for (const { name, events, finds, faults } of CASES) {
    it(name, () => {
      const verdict = analysed(events.flat());
      expect(verdict).to.deep.include(finds);
      expect(faultsIn(verdict)).to.deep.equal(faults);
    });
  }

  it('repeats of what was settled by their number', () => {
    const many = Array.from({ length: 3 }, (_, index) => index + 1);
    const events = many.flatMap((n) => [...sent(n, `k${n}`), began(n, `a${n}`, 1, `k${n}`), ended(`a${n}`)]);
    const late = many.flatMap((n) => [began(n, `b${n}`, 1, `k${n}`), ended(`b${n}`)]);
    const verdict = analysed([...events, ...kill('engine'), ...late]);
    expect(verdict).to.deep.include({ duplicated: 3, duplicatedWithoutCause: 3 });
  });

  it('the time from a worker\'s death to the next run redelivery', () => {
    const verdict = analysed([...sent(1), began(1, 'a', 5), ...kill('worker', 5), began(1, 'b', 6), ended('b')]);
    expect(verdict.latencies.redelivery).to.deep.equal({ count: 1, p50Ms: 2, p99Ms: 2, maxMs: 2 });
  });
});

const WAIT_MS = 500;

/** A millisecond between any two events, and half a second at a `wait`. */
function analysed(events: readonly Event[]): Verdict {
  const file = join(tempFolder(), 'history.jsonl');
  let at = 0;
  const lines = events.map((event) => JSON.stringify({ at: (at += event['type'] === 'wait' ? WAIT_MS : 1), ...event }));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return JSON.parse(execFileSync(process.execPath, [ANALYSIS, file], { encoding: 'utf8' })) as Verdict;
}
