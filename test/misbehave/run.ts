// Long form: npm run misbehave -- [--only TEXT] [--mode development|production]. One line per way and mode; ends with 1 when the
// others failed, a culprit was not named, or a process was left.
import { campaignOptions, fail, oneOf, sayHead, sayRow } from '../support/campaign.js';
import { runWay, type Outcome } from './src/run-way.js';
import { WAYS, type Way } from './src/ways.js';

const { only, ...values } = campaignOptions({ only: '', mode: undefined });
const modes = ['development', 'production'] as const;
const asked = oneOf('mode', values.mode, modes);
const seconds = (ms: number | undefined): string => (ms === undefined ? '-' : (ms / 1000).toFixed(1));

sayHead(['language', 'when', 'way', 'mode', 'others up after, s', 'answered', 'failed', 'lost', 'longest, ms', 'named after, s', 'gone after, s', ''], 4);
for (const mode of modes) {
  if (asked !== undefined && asked !== mode) continue;
  for (const way of WAYS) {
    if (!`${way.language} ${way.when} ${way.name}`.includes(only)) continue;
    const outcome = await runWay(way, mode);
    const faults = faultsOf(way, outcome);
    const { upMs, answered, failed, lost, longestMs, namedMs, goneMs } = outcome;
    sayRow([way.language, way.when, way.name, mode, seconds(upMs), answered, failed.length, lost, longestMs.toFixed(), seconds(namedMs), seconds(goneMs), faults.join(', ')]);
    if (faults.length > 0) fail();
  }
}

function faultsOf({ passes, when }: Way, { failed, lost, namedMs, goneMs }: Outcome): readonly string[] {
  return [
    ...failed.map((what) => `a request got ${what}`),
    ...(when === 'load' && lost > 0 ? ['requests were lost'] : []),
    ...(!passes && namedMs === undefined ? ['not named'] : []),
    ...(goneMs === undefined ? ['processes left'] : []),
  ];
}
