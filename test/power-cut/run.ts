// Long form: npm run power-cut -- [--cuts 50] [--points 60] [--seed N] [--only state|queue|points|slow]. One JSON line per run; ends
// with 1 when an acknowledged write was lost with `full`, or when the control with `relaxed` lost nothing.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Block } from './src/application.js';
import { cutPower, type CutRun, dieAt, type FaultResult, slowSync } from './src/cut-rounds.js';

const { values } = parseArgs({ options: { cuts: { type: 'string' }, points: { type: 'string', default: '60' }, seed: { type: 'string' }, only: { type: 'string' } } });
const cuts = Number(values.cuts ?? 50);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const hidden = fileURLToPath(new URL('src/hide-better-sqlite3.cjs', import.meta.url));
const CONTROL_CUTS = 20;

const runsOf = (block: Block): readonly CutRun[] => [
  { block, durability: 'full', cuts, seed },
  { block, durability: 'full', cuts: Math.ceil(cuts / 3), seed: seed + 1, keep: 0.5 },
  { block, durability: 'full', cuts: Math.ceil(cuts / 3), seed: seed + 2, preload: hidden },
  { block, durability: 'relaxed', cuts: CONTROL_CUTS, seed: seed + 3, untilLoss: true },
];

for (const block of ['state', 'queue'] as const) {
  if (values.only && values.only !== block) continue;
  for (const run of runsOf(block)) {
    const result = await cutPower(run);
    const right = run.durability === 'full' ? result.lost === 0 : result.lost > 0;
    process.stdout.write(`${JSON.stringify({ test: 'power-cut', ok: right, ...result, preload: run.preload ? 'better-sqlite3 hidden' : undefined })}\n`);
    if (!right) process.exitCode = 1;
  }
}

/** Every second point up to 40, then further apart: a start makes some two hundred changes, a commit four to ten. */
const pointAt = (index: number): number => (index < 20 ? 1 + index * 2 : 41 + (index - 20) * 20);

for (const block of ['state', 'queue'] as const) {
  if (values.only && values.only !== 'points') continue;
  for (let index = 0; index < Number(values.points); index += 1) {
    for (const when of ['before', 'after'] as const) told({ test: 'point', block, point: pointAt(index), when }, await dieAt(block, pointAt(index), when));
  }
}

for (const block of ['state', 'queue'] as const) {
  if (values.only && values.only !== 'slow') continue;
  told({ test: 'slow-sync', block, ms: 500 }, await slowSync(block, 500, 30_000));
}

function told(what: object, { lost, ...result }: FaultResult): void {
  process.stdout.write(`${JSON.stringify({ ...what, ok: lost === 0, lost, ...result })}\n`);
  if (lost > 0) process.exitCode = 1;
}
