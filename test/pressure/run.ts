// npm run pressure -- [--minutes 10] [--only slow|overload|mixed] [--connections 4000] [--times 5] [--work 2]
// Each of the three runs that long. One JSON line per run; ends with 1 when something was wrong.
import { aboveZero, campaignOptions, oneOf, progress, tell } from '../support/campaign.js';
import { type MixedResult, runMixed } from './src/mixed-run.js';
import { type OverloadResult, runOverload } from './src/overload-run.js';
import { runSlow, slowFaults, type SlowResult, type SlowRun } from './src/slow-run.js';

const { minutes, connections, times, work: workMs, ...values } = campaignOptions({ minutes: 10, only: undefined, connections: 4000, times: 5, work: 2 });
aboveZero({ minutes, connections, times });
const only = oneOf('only', values.only, ['slow', 'overload', 'mixed']);
const isAsked = (test: string): boolean => only === undefined || only === test;

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

function told(test: string, faults: readonly string[], result: object): void {
  tell(test, faults.length === 0, { minutes, ...result, faults });
}

if (isAsked('slow')) {
  progress('pressure', `${connections} slow connections for ${minutes} min`);
  const share = (part: number): number => Math.round(connections * part);
  const counts = { silent: share(0.185), headers: share(0.4), body: share(0.4), stream: share(0.005), ranges: share(0.01) };
  const run: SlowRun = { counts, aloneSeconds: Math.min(60, minutes * 12), besideSeconds: minutes * 60, slowMs: SLOW_MS, freedMs: FREED_MS, lookMs: LOOK_MS, workMs };
  const result = await runSlow(run);
  told('slow clients', faultsBeside(result, run), { connections, ...result });
}
if (isAsked('overload')) {
  progress('pressure', `${times} times what the engine takes for ${minutes} min`);
  const result = await runOverload({ workMs, concurrency: 64, times, overloadSeconds: minutes * 60, afterSeconds: 15 });
  told('overload', faultsOf(result), result);
}
if (isAsked('mixed')) {
  progress('pressure', `requests, state and queue for ${minutes} min`);
  const result = await runMixed({ seconds: minutes * 60, connections: MIXED_CONNECTIONS });
  told('mixed', faultsOfMixed(result), result);
}
