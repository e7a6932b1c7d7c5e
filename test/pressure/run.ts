// npm run pressure -- [--minutes 10] [--only slow|overload|mixed] [--connections 4000] [--times 5] [--work 2]
// Each of the three runs that long. One JSON line per run; ends with 1 when something was wrong.
import { parseArgs } from 'node:util';
import { type MixedResult, runMixed } from './src/mixed-run.js';
import { type OverloadResult, runOverload } from './src/overload-run.js';
import { runSlow, slowFaults, type SlowResult, type SlowRun } from './src/slow-run.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' }, only: { type: 'string' }, connections: { type: 'string', default: '4000' },
    times: { type: 'string', default: '5' }, work: { type: 'string', default: '2' },
  },
});
const [minutes, connections, times, workMs] = [Number(values.minutes), Number(values.connections), Number(values.times), Number(values.work)];
if (!(minutes > 0 && connections > 0 && times > 0 && workMs >= 0)) throw new Error('--minutes, --connections and --times are above 0, --work is a number of milliseconds');
if (!['slow', 'overload', 'mixed', undefined].includes(values.only)) throw new Error(`--only is slow, overload or mixed; got ${values.only}`);
const isAsked = (test: string): boolean => values.only === undefined || values.only === test;

const [SLOW_MS, FREED_MS, LOOK_MS, MOST_P99_MS, MOST_REFUSAL_MS, MOST_HEALTH_MS, MOST_RECOVERY_MS] = [10_000, 12_000, 18_000, 100, 20, 50, 2000];
const [MIXED_CONNECTIONS, MOST_HEALTH_BESIDE_MS] = [64, 100];

function faultsBeside(result: SlowResult, run: SlowRun): readonly string[] {
  const [allowed, p99Ms] = [Math.min(MOST_P99_MS, Math.max(2 * result.alone.accepted.p99Ms, 2)), result.beside.accepted.p99Ms];
  const refused = result.beside.refused.count;
  return [...slowFaults(result, run), ...refused > 0 ? [`${refused} requests of others were refused`] : [], ...p99Ms > allowed ? [`p99 of the others ${p99Ms} ms, at most ${allowed}`] : []];
}

function faultsOf({ peak, goodput, accepted, refused, failures, health, recoveredMs }: OverloadResult): readonly string[] {
  const checks: readonly (readonly [boolean, string])[] = [
    [goodput < 0.9, `goodput ${goodput}`], [accepted.p99Ms > 2 * peak.p99Ms, `p99 of the accepted ${accepted.p99Ms} ms`],
    [refused.p99Ms > MOST_REFUSAL_MS, `p99 of refusals ${refused.p99Ms} ms`], [Object.keys(failures).length > 0, `failures ${JSON.stringify(failures)}`],
    [health.p99Ms > MOST_HEALTH_MS || health.bad.length > 0, `health ${JSON.stringify(health)}`], [recoveredMs > MOST_RECOVERY_MS, `recovery took ${recoveredMs} ms`],
  ];
  return checks.filter(([wrong]) => wrong).map(([, what]) => what);
}

function faultsOfMixed({ health, reads, writes }: MixedResult): readonly string[] {
  const checks: readonly (readonly [boolean, string])[] = [
    [health.p99Ms > MOST_HEALTH_BESIDE_MS || health.bad.length > 0, `health ${JSON.stringify(health)}`],
    [reads.failures + writes.failures > 0, 'requests failed'],
  ];
  return checks.filter(([wrong]) => wrong).map(([, what]) => what);
}

function tell(test: string, faults: readonly string[], result: object): void {
  process.stdout.write(`${JSON.stringify({ test, ok: faults.length === 0, minutes, ...result, faults })}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

if (isAsked('slow')) {
  process.stderr.write(`[pressure] ${connections} slow connections for ${minutes} min\n`);
  const share = (part: number): number => Math.round(connections * part);
  const counts = { silent: share(0.185), headers: share(0.4), body: share(0.4), stream: share(0.005), ranges: share(0.01) };
  const run: SlowRun = { counts, aloneSeconds: Math.min(60, minutes * 12), besideSeconds: minutes * 60, slowMs: SLOW_MS, freedMs: FREED_MS, lookMs: LOOK_MS, workMs };
  const result = await runSlow(run);
  tell('slow clients', faultsBeside(result, run), { connections, ...result });
}
if (isAsked('overload')) {
  process.stderr.write(`[pressure] ${times} times what the engine takes for ${minutes} min\n`);
  const result = await runOverload({ workMs, concurrency: 64, times, overloadSeconds: minutes * 60, afterSeconds: 15 });
  tell('overload', faultsOf(result), result);
}
if (isAsked('mixed')) {
  process.stderr.write(`[pressure] requests, state and queue for ${minutes} min\n`);
  const result = await runMixed({ seconds: minutes * 60, connections: MIXED_CONNECTIONS });
  tell('mixed', faultsOfMixed(result), result);
}
