// npm run streams:scale -- [--clients 5000] [--stalled 0.05] [--rounds 3] [--seconds 30] [--rate 5] [--processes 2] [--cold].
// --cold: without the warm-up before the clients come. Each round runs without stalled readers and with them. One JSON line per run; ends with 1 when something was wrong.
import { parseArgs } from 'node:util';
import { runScale } from './src/scale-run.js';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '5000' }, stalled: { type: 'string', default: '0.05' }, rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '30' }, rate: { type: 'string', default: '5' }, processes: { type: 'string', default: '2' }, cold: { type: 'boolean', default: false },
  },
});
const [clients, part, rounds] = [Number(values.clients), Number(values.stalled), Number(values.rounds)];
if (!(clients > 0 && part >= 0 && part <= 0.5 && rounds > 0)) throw new Error('--clients and --rounds are above 0, --stalled is 0 to 0.5');
const most = Math.round(clients * part);

for (let round = 1; round <= rounds; round += 1) {
  for (const stalled of most > 0 ? [0, most] : [0]) {
    process.stderr.write(`[streams] round ${round}, ${clients} clients, ${stalled} stalled\n`);
    const result = await runScale({
      clients, stalled, bulk: most * 2, seconds: Number(values.seconds), perSecond: Number(values.rate), bytes: 1000,
      bulkPerSecond: 5, bulkBytes: 60_000, processes: Number(values.processes), warmUp: !values.cold,
    });
    process.stdout.write(`${JSON.stringify({ test: 'streams', ok: result.faults.length === 0, round, clients, stalled, cold: values.cold, ...result })}\n`);
    if (result.faults.length > 0) process.exitCode = 1;
  }
}
