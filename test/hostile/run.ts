// npm run hostile -- [--ways http,queue,stream,state] [--only text,text] [--load module]. Prints a table; ends with 1 when the engine's loop worked
// on one thing for more than 50 ms, or its memory was more than 64 MB above what it has after harmless bodies.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Way } from './src/application.js';
import { HOSTILE_CASES } from './src/hostile-cases.js';
import { type HostileResult, runHostile } from './src/hostile-run.js';

const LONGEST_MS = 50;
const MOST_MEGABYTES = 64;
/** A Step process may live so long after its engine was killed, and write into the folder that is removed at the end. */
const OUTLIVES_MS = 6_000;
const { values } = parseArgs({ options: { ways: { type: 'string', default: 'http,queue,stream,state' }, only: { type: 'string', default: '' }, load: { type: 'string' } } });

const row = ({ name, way, blocked, work, health, memory, statuses }: HostileResult): string =>
  [name.padEnd(28), way.padEnd(7), ...[blocked, work, health, memory].map((figure) => String(figure).padStart(8)), `  ${JSON.stringify(statuses)}`].join('');

process.stdout.write(`${'schema'.padEnd(28)}${'way'.padEnd(7)} blocked    work  health  memory  statuses\n`);
const cases = HOSTILE_CASES.filter(({ name }) => values.only.split(',').some((part) => name.includes(part)));
const { results, parts, live } = await runHostile(cases, values.ways.split(',') as Way[], (result) => process.stdout.write(`${row(result)}\n`), { load: values.load });
const most = (figure: 'health' | 'memory'): number => Math.max(...results.map((result) => result[figure]));
const slow = results.filter(({ blocked, work }) => Math.min(blocked, work) > LONGEST_MS);
process.stdout.write(`${results.length} runs, ${slow.length} beyond ${LONGEST_MS} ms; /health at most ${most('health')} ms, most resident +${most('memory')} MB, alive at the end ${live} MB more than at first\n`);
for (const [when, part] of Object.entries(parts)) process.stdout.write(`${when.padEnd(8)} ${JSON.stringify(part)}\n`);
if (slow.length > 0 || most('memory') > MOST_MEGABYTES) process.exitCode = 1;
await delay(OUTLIVES_MS);
