// npm run streams:scale -- [--clients 5000] [--stalled 0.05] [--rounds 3] [--seconds 30] [--rate 5] [--processes 2] [--cold].
// --cold: without the warm-up before the clients come. Each round runs without stalled readers and with them. One JSON line per run; ends with 1 when something was wrong.
import { aboveZero, campaignOptions, progress, tell } from '../support/campaign.js';
import { runScale } from './src/scale-run.js';

const { clients, stalled: part, rounds, seconds, rate: perSecond, processes, cold } = campaignOptions({
  clients: 5000, stalled: 0.05, rounds: 3, seconds: 30, rate: 5, processes: 2, cold: false,
});
aboveZero({ clients, rounds });
if (part > 0.5) throw new Error(`--stalled is 0 to 0.5; got ${part}`);
const most = Math.round(clients * part);

for (let round = 1; round <= rounds; round += 1) {
  for (const stalled of most > 0 ? [0, most] : [0]) {
    progress('streams', `round ${round}, ${clients} clients, ${stalled} stalled`);
    const result = await runScale({
      clients, stalled, bulk: most * 2, seconds, perSecond, bytes: 1000,
      bulkPerSecond: 5, bulkBytes: 60_000, processes, warmUp: !cold,
    });
    tell('streams', result.faults.length === 0, { round, clients, stalled, cold, ...result });
  }
}
