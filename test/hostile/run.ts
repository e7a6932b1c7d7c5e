// npm run hostile -- [--ways http,queue,stream,state] [--only text,text] [--load module]. Prints a table; ends with 1 when the engine's loop worked
// on one thing for more than 50 ms, or its memory was more than 64 MB above what it has after harmless bodies.
import { setTimeout as delay } from 'node:timers/promises';
import { campaignOptions, fail, say } from '../support/campaign.js';
import type { Way } from './src/application.js';
import { HOSTILE_CASES } from './src/hostile-cases.js';
import { type HostileResult, runHostile } from './src/hostile-run.js';

const LONGEST_MS = 50;
const MOST_MEGABYTES = 64;
/** A Step process may live so long after its engine was killed, and write into the folder that is removed at the end. */
const OUTLIVES_MS = 6_000;
const { ways, only, load } = campaignOptions({ ways: 'http,queue,stream,state', only: '', load: undefined });

const row = ({ name, way, blocked, work, health, memory, statuses }: HostileResult): string =>
  [name.padEnd(28), way.padEnd(7), ...[blocked, work, health, memory].map((figure) => String(figure).padStart(8)), `  ${JSON.stringify(statuses)}`].join('');

say(`${'schema'.padEnd(28)}${'way'.padEnd(7)} blocked    work  health  memory  statuses`);
const cases = HOSTILE_CASES.filter(({ name }) => only.split(',').some((part) => name.includes(part)));
const { results, parts, live } = await runHostile(cases, ways.split(',') as Way[], (result) => say(row(result)), { load });
const most = (figure: 'health' | 'memory'): number => Math.max(...results.map((result) => result[figure]));
const slow = results.filter(({ blocked, work }) => Math.min(blocked, work) > LONGEST_MS);
say(`${results.length} runs, ${slow.length} beyond ${LONGEST_MS} ms; /health at most ${most('health')} ms, most resident +${most('memory')} MB, alive at the end ${live} MB more than at first`);
for (const [when, part] of Object.entries(parts)) say(`${when.padEnd(8)} ${JSON.stringify(part)}`);
if (slow.length > 0 || most('memory') > MOST_MEGABYTES) fail();
await delay(OUTLIVES_MS);
