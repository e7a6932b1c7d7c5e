// Long form: npm run power-cut -- [--cuts 50] [--points 60] [--seed N] [--only state|queue|points|slow]. One JSON line per run; ends
// with 1 when an acknowledged write was lost with `full`, or when the control with `relaxed` lost nothing.
import { fileURLToPath } from 'node:url';
import { campaignOptions, oneOf, randomSeed, tell } from '../support/campaign.js';
import type { Block } from './src/application.js';
import { cutPower, type CutRun, dieAt, type FaultResult, slowSync } from './src/cut-rounds.js';

const { cuts, points, seed, ...values } = campaignOptions({ cuts: 50, points: 60, seed: randomSeed(), only: undefined });
const only = oneOf('only', values.only, ['state', 'queue', 'points', 'slow']);
const hidden = fileURLToPath(new URL('src/hide-better-sqlite3.cjs', import.meta.url));
const CONTROL_CUTS = 20;

const runsOf = (block: Block): readonly CutRun[] => [
  { block, durability: 'full', cuts, seed },
  { block, durability: 'full', cuts: Math.ceil(cuts / 3), seed: seed + 1, keep: 0.5 },
  { block, durability: 'full', cuts: Math.ceil(cuts / 3), seed: seed + 2, preload: hidden },
  { block, durability: 'relaxed', cuts: CONTROL_CUTS, seed: seed + 3, untilLoss: true },
];

for (const block of ['state', 'queue'] as const) {
  if (only !== undefined && only !== block) continue;
  for (const run of runsOf(block)) {
    const result = await cutPower(run);
    const right = run.durability === 'full' ? result.lost === 0 : result.lost > 0;
    tell('power-cut', right, { ...result, preload: run.preload ? 'better-sqlite3 hidden' : undefined });
  }
}

/** Every second point up to 40, then further apart: a start makes some two hundred changes, a commit four to ten. */
const pointAt = (index: number): number => (index < 20 ? 1 + index * 2 : 41 + (index - 20) * 20);

for (const block of ['state', 'queue'] as const) {
  if (only !== undefined && only !== 'points') continue;
  for (let index = 0; index < points; index += 1) {
    for (const when of ['before', 'after'] as const) told('point', { block, point: pointAt(index), when }, await dieAt(block, pointAt(index), when));
  }
}

for (const block of ['state', 'queue'] as const) {
  if (only !== undefined && only !== 'slow') continue;
  told('slow-sync', { block, ms: 500 }, await slowSync(block, 500, 30_000));
}

function told(test: string, what: object, { lost, ...result }: FaultResult): void {
  tell(test, lost === 0, { ...what, lost, ...result });
}
