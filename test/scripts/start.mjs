// `npm start`: the engine with the sample application. The engine gets a process group of its own: a terminal sends
// Ctrl-C to everyone in the foreground and npm passes it on once more, and a second signal would cut the drain short.
// The script is called with `exec`, since a shell in between would die of the signal, and npm then ends like its shell.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { devOutput } from '../../cli/dist/dev/dev-output.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const application = join(root, 'test/apps/tickets');
const SAME_KEYPRESS_MS = 500;

// The log in words, as "treadle dev" shows it, unless LOG_FORMAT asks for the engine's own form.
const inWords = !process.env.LOG_FORMAT;
const engine = spawn(process.execPath, [engineProgram(), '--config', join(application, 'config.yaml')], {
  stdio: ['ignore', inWords ? 'pipe' : 'inherit', 'inherit'], detached: process.platform !== 'win32',
  env: inWords ? { ...process.env, LOG_FORMAT: 'json' } : process.env,
});
if (inWords) {
  // No browser is wanted: the address of the admin API is enough.
  const output = await devOutput(process.stdout, () => Promise.resolve(undefined));
  engine.stdout.setEncoding('utf8').on('data', (text) => output.write(text));
}
let firstSignalAt = 0;
let ended = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => passOn(signal));
engine.once('exit', (code, signal) => {
  ended = true;
  process.exitCode = code ?? (signal ? 70 : 0);
});
await announceWhenReady();

function engineProgram() {
  const manifest = JSON.parse(readFileSync(join(root, 'core/engine/package.json'), 'utf8'));
  return join(root, 'core/engine', manifest.bin['treadle-engine']);
}

function passOn(signal) {
  const now = Date.now();
  if (firstSignalAt === 0) firstSignalAt = now;
  else if (now - firstSignalAt < SAME_KEYPRESS_MS) return;
  engine.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
}

async function announceWhenReady() {
  while (!ended) {
    const address = httpAddress();
    if (address && (await isHealthy(address))) return print(address);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The engine writes where it listens into its data folder; a file of an earlier run has another pid. */
function httpAddress() {
  const file = join(application, 'data/engine.json');
  if (!existsSync(file)) return undefined;
  try {
    const state = JSON.parse(readFileSync(file, 'utf8'));
    return state.pid === engine.pid ? state.addresses.http : undefined;
  } catch {
    return undefined; // half written; the next look will find it whole
  }
}

function isHealthy(address) {
  return new Promise((resolve) => {
    get(`${address}/health`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).once('error', () => resolve(false));
  });
}

function print(address) {
  const ticket = '{"title":"The printer is on fire","priority":"high","customer":{"id":"c1","email":"ada@example.com"}}';
  console.log(`
The tickets application (test/apps/tickets) is served at ${address}
Try:

  curl -i ${address}/tickets -H 'content-type: application/json' -d '${ticket}'

Ctrl-C stops it.`);
}
