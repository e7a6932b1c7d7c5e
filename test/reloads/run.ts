// npm run reloads -- [--rate 200] [--slow 8000] [--pause 1000] [--only http.port,queue.max_waiting]
// Changes every setting in turn under load; prints a table, and ends with 1 when a request was refused, reset or failed.
import { campaignOptions, fail, say, sayHead, sayRow } from '../support/campaign.js';
import { runReloads } from './src/reload-run.js';

const { rate, slow, pause, only } = campaignOptions({ rate: 200, slow: 8000, pause: 1000, only: undefined });

sayHead(['setting', 'taken', 'ms', 'refused', 'reset', 'failed']);
const { rows, outcomes } = await runReloads({
  perSecond: rate, slowMs: slow, pauseMs: pause, ...only === undefined ? {} : { only: only.split(',') },
  onRow: ({ setting, taken, ms, refused, reset, failed }) => sayRow([setting, taken, ms, refused, reset, failed]),
});
const { sent, answered, refused, reset, failed, faults } = outcomes;
say(`\n${rows.length} settings, ${sent} requests, ${answered} answered, ${refused} refused, ${reset} reset, ${failed} failed`);
for (const fault of faults) say(fault);
if (answered !== sent || rows.some(({ taken }) => taken === 'not taken')) fail();
