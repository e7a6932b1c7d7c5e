// Runs all tests in two processes side by side: those beside the code, and those of whole engines, which mostly wait. What the second prints
// comes when it has ended. With TREADLE_TEST_COUNTS the counts of both are written to that file as one.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const BESIDE_THE_CODE = [
  'core/*/src/**/*.test.ts', 'config/src/**/*.test.ts', 'modules/*/src/**/*.test.ts', 'plugins/*/src/**/*.test.ts', 'console/src/**/*.test.ts',
  'cli/src/**/*.test.ts',
];
const OF_WHOLE_ENGINES = ['test/**/*.test.ts'];

const folder = mkdtempSync(join(tmpdir(), 'treadle-tests-'));
const lanes = [lane('first', BESIDE_THE_CODE, 'inherit'), lane('second', OF_WHOLE_ENGINES, 'pipe')];
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => lanes.forEach(({ child }) => child.kill(signal)));
const codes = await Promise.all(lanes.map(({ ended }) => ended));
writeCounts(process.env['TREADLE_TEST_COUNTS'], lanes.map(({ counts }) => counts));
rmSync(folder, { recursive: true });
process.exitCode = codes.find((code) => code !== 0) ?? 0;

function lane(name, patterns, output) {
  const counts = join(folder, name);
  const child = spawn(process.execPath, [MOCHA, ...patterns], { env: { ...process.env, TREADLE_TEST_COUNTS: counts }, stdio: ['ignore', output, output] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
  const ended = new Promise((resolve) => {
    child.on('close', (code) => {
      for (const chunk of printed) process.stdout.write(chunk);
      resolve(code ?? 1);
    });
  });
  return { child, counts, ended };
}

/** Nothing is written when one of them was cut: then no count is true. */
function writeCounts(file, files) {
  if (!file) return;
  try {
    const all = files.map((one) => JSON.parse(readFileSync(one, 'utf8')));
    const sum = (key) => all.reduce((total, counts) => total + counts[key], 0);
    writeFileSync(file, JSON.stringify({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }));
  } catch {
    // The process that was cut has said why.
  }
}
