// npm run restarts -- [--rounds 100] [--restarts 100]. One JSON line per part; ends with 1 when a client was stale or left behind, or a known route had a wrong answer.
import { parseArgs } from 'node:util';
import { runJoins } from './src/join-run.js';
import { wrongAnswers } from './src/route-probe.js';
import { runStale } from './src/stale-run.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' }, restarts: { type: 'string', default: '100' } } });
const stale = await runStale({ rounds: Number(values.rounds), times: 20 });
process.stdout.write(`${JSON.stringify({ test: 'writes at once', ...stale })}\n`);
const joins = await runJoins(Number(values.restarts));
process.stdout.write(`${JSON.stringify({ test: 'joins over restarts', ...joins })}\n`);
process.exitCode = stale.stale + joins.leftBehind + wrongAnswers(joins.answers).length > 0 ? 1 : 0;
