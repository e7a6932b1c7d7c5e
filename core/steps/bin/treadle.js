#!/usr/bin/env node
// Runs the command line of the application that the working directory belongs to, else the one of this package's version.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const CLI = '@treadle/cli';

/** Program of the installed command line, or undefined when there is none above `folder`. */
function installed(folder) {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve(`${CLI}/package.json`);
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    const program = typeof bin === 'string' ? bin : bin?.treadle;
    return program === undefined ? undefined : join(dirname(manifest), program);
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    throw error;
  }
}

function throughNpm(args) {
  const { version } = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), '..', 'package.json'), 'utf8'));
  const command = ['exec', '--yes', `--package=${CLI}@${version}`, '--', 'treadle', ...args];
  const child = spawn('npm', command, { stdio: 'inherit', shell: process.platform === 'win32' });
  // Ctrl-C reaches the child as well; this process only waits for its end.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`treadle: ${CLI} is not installed here, and npm cannot be run: ${error.message}\n`);
    process.exitCode = 69;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
  });
}

const program = installed(process.cwd());
if (program === undefined) throughNpm(process.argv.slice(2));
else await import(pathToFileURL(program).href);
