// Runs the command line of the application that the working directory belongs to, else the one installed beside this package
// (`npm install --global treadle @treadle/cli`), else the one of this package's version, which npm fetches.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const CLI = '@treadle/cli';
const OWN = join(dirname(fileURLToPath(import.meta.url)), '..');
/** There npm is a .cmd file, which only a shell can start. */
const WINDOWS = process.platform === 'win32';

/** Program of the installed command line, or undefined when there is none above `folder`. */
function installed(folder) {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve(`${CLI}/package.json`);
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    const program = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
    return program === undefined ? undefined : join(dirname(manifest), program);
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    throw error;
  }
}

function ownVersion() {
  return JSON.parse(readFileSync(join(OWN, 'package.json'), 'utf8')).version;
}

/** Arguments of npm that run a command with the needed packages at hand, which npm keeps in its cache, not in this folder. */
function npmExec(options, command) {
  return ['exec', '--yes', ...options, ...packages.map((name) => `--package=${name}@${ownVersion()}`), '--', ...command];
}

/** All that looks at an application, or runs it, needs the engine's classes. */
function neededPackages([command]) {
  const alone = command === undefined || command.startsWith('-') || ['create', 'docs', 'help'].includes(command);
  return alone ? [CLI] : [CLI, '@treadle/engine'];
}

function throughNpm(args) {
  // The version is exact: what npm has in its cache need not be asked for again.
  const child = spawn('npm', npmExec(['--prefer-offline'], ['treadle-cli', ...args]), { stdio: 'inherit', shell: WINDOWS });
  // Ctrl-C reaches the child as well; this process only waits for its end.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${CLI} is not installed here, and npm cannot be run: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
    if (code > 0 && code < 128 && !isFetched()) {
      fail(`${CLI}@${ownVersion()} is not installed here, and npm could not fetch it, as it says above. `
        + `Try again when the registry can be reached, or run the command in a folder where ${CLI} is installed.`);
    }
  });
}

/** Whether npm has the package: then the command line itself ended with that exit code, and has said why. */
function isFetched() {
  return spawnSync('npm', npmExec(['--offline'], ['node', '--version']), { stdio: 'ignore', shell: WINDOWS }).status === 0;
}

function fail(message) {
  process.stderr.write(`treadle: ${message}\n`);
  process.exitCode = 69;
}

const packages = neededPackages(process.argv.slice(2));
const program = installed(process.cwd()) ?? installed(OWN);
if (program === undefined) throughNpm(process.argv.slice(2));
else await import(pathToFileURL(program).href);
