// Long form: npm run misbehave -- [--only TEXT] [--mode development|production]. One line per way and mode; ends with 1 when the
// others failed, a culprit was not named, or a process was left.
import { parseArgs } from 'node:util';
import { runWay, type Outcome } from './src/run-way.js';
import { WAYS, type Way } from './src/ways.js';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, mode: { type: 'string' } } });
const modes = (['development', 'production'] as const).filter((mode) => values.mode === undefined || values.mode === mode);
const seconds = (ms: number | undefined): string => (ms === undefined ? '-' : (ms / 1000).toFixed(1));

process.stdout.write('| language | when | way | mode | others up after, s | answered | failed | longest, ms | named after, s | gone after, s | |\n|---|---|---|---|---:|---:|---:|---:|---:|---:|---|\n');
for (const mode of modes) {
  for (const way of WAYS) {
    if (!`${way.language} ${way.when} ${way.name}`.includes(values.only)) continue;
    const outcome = await runWay(way, mode);
    const faults = faultsOf(way, outcome);
    const { upMs, answered, failed, longestMs, namedMs, goneMs } = outcome;
    process.stdout.write(`| ${[way.language, way.when, way.name, mode, seconds(upMs), answered, failed, longestMs.toFixed(), seconds(namedMs), seconds(goneMs), faults.join(', ')].join(' | ')} |\n`);
    if (faults.length > 0) process.exitCode = 1;
  }
}

function faultsOf({ passes }: Way, { failed, namedMs, goneMs }: Outcome): readonly string[] {
  return [
    ...(failed > 0 ? ['requests failed'] : []),
    ...(!passes && namedMs === undefined ? ['not named'] : []),
    ...(goneMs === undefined ? ['processes left'] : []),
  ];
}
