// npm run hostile -- [--ways http,queue,stream,state] [--only text]. Prints a table; ends with 1 when the engine's loop worked on one thing for more than 50 ms.
import { parseArgs } from 'node:util';
import type { Way } from './src/application.js';
import { HOSTILE_CASES } from './src/hostile-cases.js';
import { type HostileResult, runHostile } from './src/hostile-run.js';

const LONGEST_MS = 50;
const { values } = parseArgs({ options: { ways: { type: 'string', default: 'http,queue,stream,state' }, only: { type: 'string', default: '' } } });

const row = ({ name, way, blocked, work, health, memory, statuses }: HostileResult): string =>
  [name.padEnd(28), way.padEnd(7), ...[blocked, work, health, memory].map((figure) => String(figure).padStart(8)), `  ${JSON.stringify(statuses)}`].join('');

process.stdout.write(`${'schema'.padEnd(28)}${'way'.padEnd(7)} blocked    work  health  memory  statuses\n`);
const cases = HOSTILE_CASES.filter(({ name }) => name.includes(values.only));
const results = await runHostile(cases, values.ways.split(',') as Way[], (result) => process.stdout.write(`${row(result)}\n`));
const slow = results.filter(({ blocked, work }) => Math.min(blocked, work) > LONGEST_MS);
process.stdout.write(`${results.length} runs, ${slow.length} beyond ${LONGEST_MS} ms; most memory +${Math.max(...results.map(({ memory }) => memory))} MB\n`);
if (slow.length > 0) process.exitCode = 1;
