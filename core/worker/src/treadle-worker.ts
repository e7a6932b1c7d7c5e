/** The program `treadle-worker [folder]`: a Step process that is started by hand. */
import { resolve } from 'node:path';
import { exitProcess } from './exit-guard.js';
import { ENVIRONMENT_HELP, runByHand } from './run-by-hand.js';
import { SDK_VERSION } from './version.js';

const HELP = `treadle-worker [folder]   serves the Steps of a folder (default: the working directory) to an engine

${ENVIRONMENT_HELP}`;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) return print(HELP);
  if (args.includes('--version')) return print(`${SDK_VERSION}\n`);
  return runByHand({ root: resolve(args[0] ?? '.') }, say);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function say(message: string): void {
  process.stderr.write(`treadle-worker: ${message}\n`);
}

main(process.argv.slice(2)).then(exitProcess, (error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  exitProcess(70);
});
