/** The program `treadle-worker [folder]`: a Step process that is started by hand. */
import { resolve } from 'node:path';
import type { StepFileReport } from '@treadle/protocol';
import { logCrashes } from './session/crash-log.js';
import { StdioCapture } from './session/stdio-capture.js';
import { startWorker } from './start-worker.js';
import { SDK_VERSION } from './version.js';

const HELP = `treadle-worker [folder]   serves the Steps of a folder (default: the working directory) to an engine

  ENGINE_URL         the engine: ws, wss, http or https (default ws://127.0.0.1:3110)
  ENGINE_TOKEN       its token
  TREADLE_DATA_DIR   where engine.json and worker.token are when the above are not set (default ./data)
`;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) return print(HELP);
  if (args.includes('--version')) return print(`${SDK_VERSION}\n`);
  const { ENGINE_URL: url, ENGINE_TOKEN: token, TREADLE_DATA_DIR: dataDir } = process.env;
  // Handlers get the whole environment but this.
  delete process.env['ENGINE_TOKEN'];
  const cwd = process.cwd();
  const worker = await startWorker({ root: resolve(args[0] ?? '.'), cwd, url, token, dataDir, onStatus: say });
  for (const report of worker.reports) if (report.problem) say(describe(report));
  // The terminal or the container's log is the only other place where somebody may look.
  new StdioCapture(true).start();
  logCrashes({ log: () => undefined, flush: () => worker.flush() });
  process.on('exit', () => worker.flush());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void worker.stop());
  const reason = await worker.ended;
  if (reason === undefined) return 0;
  say(reason);
  return 69;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function say(message: string): void {
  process.stderr.write(`treadle-worker: ${message}\n`);
}

function describe({ file, problem }: StepFileReport): string {
  return `${[problem?.at ?? file, problem?.line, problem?.column].filter((part) => part !== undefined).join(':')}  ${problem?.message ?? ''}`;
}

main(process.argv.slice(2)).then(end, (error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  end(70);
});

/** Handlers may have left timers and sockets behind, so the process does not end by itself. */
function end(code: number): void {
  // eslint-disable-next-line no-restricted-syntax -- this file is a program
  process.exit(code);
}
