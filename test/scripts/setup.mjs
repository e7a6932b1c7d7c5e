// Makes a checkout runnable: installs and builds when, and only when, something changed. Plain Node, no dependencies,
// because it runs before there are any. `--products` installs and builds what the engine needs to run, without tests and what they use.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const stamps = join(root, 'node_modules/.cache/treadle');
const productsOnly = process.argv.includes('--products');
const SOURCE = /\.(tsx?|mts|json)$/;
const SKIPPED = new Set(['node_modules', 'dist', 'app-dist', 'data', 'results', '.git']);
/** npm writes its two lock files one after the other; nobody edits one within this time. */
const LOCK_SLACK_MS = 5000;
/** What is made besides by the compiler; each looks for itself whether it has to. */
const MADE = ['cli/scripts/copy-docs', 'cli/scripts/write-js-templates', 'console/scripts/build-page'];

if (!nodeIsNewEnough()) {
  console.error(`Treadle needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exitCode = 69;
} else {
  process.exitCode = install() || build() || await bundle();
}

function nodeIsNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19);
}

function install() {
  const lock = join(root, 'package-lock.json');
  const digest = existsSync(lock) ? hashOf(readFileSync(lock)) : 'none';
  const fresh = !existsSync(join(root, 'node_modules/.package-lock.json'));
  // What tests use is left out until somebody wants to run them, and stays from then on.
  const few = productsOnly && !hasTools();
  const name = few ? 'install-products' : 'install';
  const complete = !fresh && (productsOnly || hasTools());
  if (complete && (stampIs(name, digest) || installedAfter(lock))) return stamp(name, digest);
  const command = fresh && digest !== 'none' ? 'ci' : 'install';
  const options = ['--no-audit', '--no-fund', '--loglevel=error', ...few ? ['--omit=dev'] : []];
  const code = run(`installing ${few ? 'what running needs' : 'dependencies'} (npm ${command})`, npm(), [command, ...options]);
  return code || stamp(name, existsSync(lock) ? hashOf(readFileSync(lock)) : 'none');
}

function hasTools() {
  return existsSync(join(root, 'node_modules/mocha/package.json'));
}

function installedAfter(lock) {
  const installed = statSync(join(root, 'node_modules/.package-lock.json')).mtimeMs;
  return !existsSync(lock) || statSync(lock).mtimeMs <= installed + LOCK_SLACK_MS;
}

function build() {
  const name = productsOnly ? 'build-products' : 'build';
  const digest = sourceDigest();
  if (stampIs(name, digest) || (productsOnly && stampIs('build', digest))) return 0;
  // The engine's project refers to those of everything that it runs; the command line shows its log in words.
  const projects = productsOnly ? [join(root, 'core/engine'), join(root, 'cli')] : [];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return run('building (tsc -b)', process.execPath, [compiler, '-b', ...projects]) || stamp(name, digest);
}

/** Checked each time: the compiler may have been called by hand since. */
async function bundle() {
  const { isCurrent } = await import('../../core/engine/bin/bundle.js');
  if (!productsOnly) for (const script of MADE) await import(`../../${script}.mjs`);
  return isCurrent() ? 0 : run('bundling the engine', process.execPath, [join(root, 'core/engine/scripts/bundle.mjs')]);
}

/** Names, sizes and times of all sources: a renamed or deleted file counts as a change, too. */
function sourceDigest() {
  const lines = [];
  for (const folder of ['core', 'config', 'modules', 'plugins', 'cli', 'console', 'test']) collect(join(root, folder), lines);
  lines.push(describe(join(root, 'tsconfig.json')));
  return hashOf(lines.join('\n'));
}

function collect(folder, lines) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) collect(path, lines);
      else if (entry.name === 'dist') lines.push(path);
    } else if (SOURCE.test(entry.name)) {
      lines.push(describe(path));
    }
  }
}

function describe(file) {
  const { size, mtimeMs } = statSync(file);
  return `${file} ${size} ${mtimeMs}`;
}

function run(what, command, args) {
  const started = Date.now();
  console.log(`[setup] ${what} ...`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(status === 0 ? `[setup] done in ${seconds} s` : `[setup] failed after ${seconds} s${error ? `: ${error.message}` : ''}`);
  return status ?? 70;
}

function npm() {
  return process.platform === 'win32' ? 'npm.cmd' : 'npm';
}

function hashOf(content) {
  return createHash('sha256').update(content).digest('hex');
}

function stampIs(name, digest) {
  const file = join(stamps, name);
  return existsSync(file) && readFileSync(file, 'utf8') === digest;
}

function stamp(name, digest) {
  mkdirSync(stamps, { recursive: true });
  // A first build makes the dist folders that belong to the digest.
  writeFileSync(join(stamps, name), name.startsWith('install') ? digest : sourceDigest());
  return 0;
}
