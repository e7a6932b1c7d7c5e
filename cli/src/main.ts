import { CLI_ROOT, CLI_VERSION } from './version.js';

/**
 * Runs the command line and returns the exit code. Everything that the user can get wrong is printed in the one form
 * of errors; never rejects.
 */
export async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === '--version' || argv[0] === '-v') return printVersion(argv);
  const { flush } = await import('@oclif/core/flush');
  try {
    await runCommand(argv);
  } catch (error) {
    const { reportFailure } = await import('./failure.js');
    process.exitCode = await reportFailure(error, argv.includes('--json'));
  }
  await flush();
  return Number(process.exitCode ?? 0);
}

async function runCommand(argv: readonly string[]): Promise<void> {
  const { run, settings } = await import('@oclif/core');
  // Commands run as built, whatever NODE_ENV says.
  settings.enableAutoTranspile = false;
  const { loadCommandPlugins } = await import('./plugins/command-plugins.js');
  const plugins = await loadCommandPlugins({ root: CLI_ROOT, cwd: process.cwd(), argv });
  await run(withoutHelpCommand(argv), { root: CLI_ROOT, plugins });
}

/** `treadle help check` is `treadle check --help`. */
function withoutHelpCommand(argv: readonly string[]): string[] {
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
}

function printVersion(argv: readonly string[]): number {
  const text = argv.includes('--json')
    ? JSON.stringify({ name: 'treadle', version: CLI_VERSION, node: process.versions.node }, null, 2)
    : `treadle ${CLI_VERSION} (node ${process.versions.node})`;
  process.stdout.write(`${text}\n`);
  return 0;
}
