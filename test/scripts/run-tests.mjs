// Runs all tests and lint: the tests of a package in a process of their own, some processes side by side. What one prints comes when it has ended; what
// failed is said once more in the end. With TREADLE_TEST_STORE=postgres, redis, nats or rabbitmq engines of end-to-end tests have their data there. With
// TREADLE_TEST_COUNTS the counts of all are written to that file. Arguments are what the paths of wanted tests begin with; then nothing else runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
/** Processes at the same time. Tests wait for half of their time, so one more than there are cores; with more, engines would wait for a processor longer than their clients wait for them. */
const SIDE_BY_SIDE = Number(process.env['TREADLE_TEST_PROCESSES']) || availableParallelism() + 1;
/** Most test files of one process; the tests of a larger package run in several. */
const PORTION = 16;
/** How many of the slowest test files are told. */
const SLOWEST = 30;
/** Where tests are: templates of the command line have some of their own, which are not for us. */
const OURS = /^test\/|^[^/]+(?:\/[^/]+)?\/src\//;
/** In the order in which they begin: what takes long comes first. */
const FOLDERS = ['test', 'plugins', 'core', 'cli', 'modules', 'console', 'config'];
const ON_WINDOWS = process.platform === 'win32';
const SKIPPED = new Set(['node_modules', 'dist', 'app-dist', 'apps', 'fixtures']);

process.chdir(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const folder = mkdtempSync(join(tmpdir(), 'treadle-tests-'));
const wanted = process.argv.slice(2);
const waiting = [...wanted.length === 0 ? [['lint', 'npm', 'run', 'lint']] : [], ...portions().map((files) => ['mocha', process.execPath, MOCHA, ...files])];
const [running, ended] = [new Set(), []];
let [started, stopped] = [0, false];
const store = await startStore(process.env['TREADLE_TEST_STORE']);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {
  stopped = true;
  waiting.length = 0;
  for (const child of running) end(child, signal);
});
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, runAll));
store?.kill();
rmSync(folder, { recursive: true });
report();

function portions() {
  const packages = new Map();
  for (const file of FOLDERS.flatMap(testsIn)) {
    if (!OURS.test(file) || (wanted.length > 0 && !wanted.some((start) => file.startsWith(start)))) continue;
    const [top, second] = file.split('/');
    const name = ['core', 'modules', 'plugins'].includes(top) ? `${top}/${second}` : top;
    packages.set(name, [...packages.get(name) ?? [], file]);
  }
  return [...packages.values()].flatMap((files) => {
    const count = Math.ceil(files.length / PORTION);
    return Array.from({ length: count }, (_, index) => files.filter((__, at) => at % count === index));
  });
}

function testsIn(parent) {
  return readdirSync(parent, { withFileTypes: true }).flatMap((entry) => {
    const path = `${parent}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : testsIn(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

async function runAll() {
  for (let next = waiting.shift(); next; next = waiting.shift()) ended.push(await run(next));
}

async function run([name, command, ...args]) {
  started += 1;
  const file = join(folder, String(started));
  const child = spawn(command, args, { env: { ...process.env, TREADLE_TEST_RESULT: file }, stdio: ['ignore', 'pipe', 'pipe'], shell: command === 'npm' && ON_WINDOWS, detached: !ON_WINDOWS });
  running.add(child);
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  const code = await new Promise((resolve) => child.on('close', (exit) => resolve(exit ?? 1)));
  running.delete(child);
  process.stdout.write(Buffer.concat(printed));
  const result = resultIn(file);
  // A process that was cut, or whose files could not be loaded, counts as one test that failed.
  const isCut = code !== 0 ? !result.failed : name === 'mocha' && result.passed === undefined;
  return isCut ? { ...result, failed: 1, failures: [`${name} ended with ${code}: ${args.join(' ')}`] } : result;
}

/** Starts the servers that all tests share, and tells them in the environment how engines use them. */
async function startStore(name) {
  if (!name) return undefined;
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/scripts/test-store.ts', name], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(([code]) => [code])]);
  if (typeof line === 'number') throw new Error(`there is no store "${name}" for the tests`);
  process.env['TREADLE_TEST_BACKEND'] = String(line).trim();
  return child;
}

/** With what it has started: mocha runs in a process of its own. */
function end(child, signal) {
  if (ON_WINDOWS) child.kill(signal);
  else process.kill(-child.pid, signal);
}

/** What the reporter wrote; nothing for lint. */
function resultIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function report() {
  const sum = (key) => ended.reduce((total, one) => total + (one[key] ?? 0), 0);
  const failures = ended.flatMap((one) => one.failures ?? []);
  console.log('\nseconds (of processors) of the slowest test files');
  for (const [file, [ms, worked]] of ended.flatMap((one) => Object.entries(one.files ?? {})).sort(([, [one]], [, [other]]) => other - one).slice(0, SLOWEST)) {
    console.log(`${seconds(ms)} (${seconds(worked)})  ${file}`);
  }
  for (const failure of failures) console.log(`\nfailed: ${failure}`);
  const counts = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  console.log(`\nall tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  const file = process.env['TREADLE_TEST_COUNTS'];
  // Nothing is written when the run was stopped: then no count is true.
  if (file && !stopped) writeFileSync(file, JSON.stringify(counts));
  process.exitCode = counts.failed > 0 || stopped ? 1 : 0;
}

function seconds(ms) {
  return (ms / 1000).toFixed(0).padStart(5);
}
