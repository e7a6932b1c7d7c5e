// npm run restarts -- [--rounds 100] [--restarts 100]. One JSON line per part; ends with 1 when a client was stale or left behind, or a known route had a wrong answer.
import { campaignOptions, tell } from '../support/campaign.js';
import { runJoins } from './src/join-run.js';
import { wrongAnswers } from './src/route-probe.js';
import { runStale } from './src/stale-run.js';

const { rounds, restarts } = campaignOptions({ rounds: 100, restarts: 100 });
const stale = await runStale({ rounds, times: 20 });
tell('writes at once', stale.stale === 0, stale);
const joins = await runJoins(restarts);
tell('joins over restarts', joins.leftBehind + wrongAnswers(joins.answers).length === 0, joins);
