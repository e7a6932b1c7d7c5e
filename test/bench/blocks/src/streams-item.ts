import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ItemOptions, ItemResult } from './item.js';
import { medianOf, type Entry, type Figures } from './rounds.js';

const PROGRAM = fileURLToPath(new URL('../stream-fanout.ts', import.meta.url));
const CLIENTS = 1000;
const BROADCASTS = 100;
/** What a client may cost. */
const MOST_KB = 12;

/** A message to 1,000 clients, one and ten in a turn. Each round has a process of its own, for the sake of its memory. */
export async function streamsItem({ rounds }: ItemOptions): Promise<ItemResult> {
  const entry: Entry<Figures> = { id: 'streams', name: 'Treadle', rounds: [] };
  for (let round = 0; round < rounds; round += 1) entry.rounds.push(await measure());
  return {
    title: `Streams, ${CLIENTS} clients, about 190 bytes; KB that a client adds`, entries: [entry],
    columns: {
      single: 'deliveries/s, one a turn', singleCpu: 'CPU us', tenfold: 'ten a turn', tenfoldCpu: 'CPU us',
      atRest: 'KB resident, at rest', after: 'after the events', afterYoung: 'of them young generation', heap: 'KB live heap',
    },
    checks: [
      { what: 'streams, one message a turn', value: medianOf(entry, 'single'), unit: 'per second', atLeast: 100_000 },
      { what: 'streams, ten messages a turn', value: medianOf(entry, 'tenfold'), unit: 'per second', atLeast: 700_000 },
      { what: 'streams, memory of a client', value: medianOf(entry, 'after'), unit: 'KB', atMost: MOST_KB },
      { what: 'streams, memory of a client without the young generation', value: medianOf(entry, 'afterOwn'), unit: 'KB', atMost: MOST_KB },
    ],
  };
}

async function measure(): Promise<Figures> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--import', 'tsx', PROGRAM, `${CLIENTS}`, `${BROADCASTS}`]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Figures;
}
