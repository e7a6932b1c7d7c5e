// npm run hostile -- [--ways http,queue,stream,state] [--only text,text] [--load module]. Prints a table; ends with 1 when the engine's loop worked
// on one thing for more than 50 ms, /health took longer than 100 ms (99th percentile of a way), or its memory was more than 64 MB above what it has after harmless bodies.
import { setTimeout as delay } from 'node:timers/promises';
import { campaignOptions, fail, say } from '../support/campaign.js';
import { WAYS } from './src/application.js';
import { HOSTILE_CASES } from './src/hostile-cases.js';
import { type HostileResult, runHostile } from './src/hostile-run.js';
import { OTHER_BODIES } from './src/other-bodies.js';

const LONGEST_MS = 50;
const HEALTH_MS = 100;
const MOST_MEGABYTES = 64;
/** A Step process may live so long after its engine was killed, and write into the folder that is removed at the end. */
const OUTLIVES_MS = 6_000;
const { ways: given, only, load } = campaignOptions({ ways: WAYS.join(','), only: '', load: undefined });
const unknown = given.split(',').find((way) => !WAYS.some((known) => known === way));
if (unknown !== undefined) throw new Error(`--ways: there is no way "${unknown}"; the ways are ${WAYS.join(', ')}`);
const ways = WAYS.filter((way) => given.split(',').includes(way));

const row = ({ name, way, blocked, work, health, memory, statuses }: HostileResult): string =>
  [name.padEnd(28), way.padEnd(7), ...[blocked, work, health, memory].map((figure) => String(figure).padStart(8)), `  ${JSON.stringify(statuses)}`].join('');

say(`${'schema'.padEnd(28)}${'way'.padEnd(7)} blocked    work  health  memory  statuses`);
const cases = [...HOSTILE_CASES, ...OTHER_BODIES].filter(({ name }) => only.split(',').some((part) => name.includes(part)));
const { results, parts, live, health } = await runHostile(cases, ways, (result) => say(row(result)), { load });
const memory = Math.max(...results.map((result) => result.memory));
const slow = results.filter(({ blocked, work }) => Math.min(blocked, work) > LONGEST_MS);
say(`${results.length} runs, ${slow.length} beyond ${LONGEST_MS} ms; /health ${JSON.stringify(health)} ms (p99), most resident +${memory} MB, alive at the end ${live} MB more than at first`);
for (const [when, part] of Object.entries(parts)) say(`${when.padEnd(8)} ${JSON.stringify(part)}`);
if (slow.length > 0 || memory > MOST_MEGABYTES || Object.values(health).some((ms) => ms > HEALTH_MS)) fail();
await delay(OUTLIVES_MS);
