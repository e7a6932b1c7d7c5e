import { ENGINE_FLAGS, parseEngineArguments, type EngineArguments, type UsageProblem } from './engine-arguments.js';
import { helpCollector } from '@treadle/worker/collector';
import { engineEnvironment } from './env-files.js';
import type { EngineSurroundings } from './engine-surroundings.js';
import type { RunOptions } from './run/run-options.js';
import { HELP_TEXT, USAGE_LINE } from './usage-text.js';
import { ENGINE_VERSION } from './version.js';

/**
 * The command `treadle-engine`: understands the arguments and does what they ask. Loads the kernel only when it is
 * needed. Returns the exit code; never rejects for anything that a user can write.
 */
export async function main(argv: readonly string[], around: EngineSurroundings): Promise<number> {
  const asked = parseEngineArguments(argv);
  if (asked.kind === 'problem') return refuse(asked, around);
  if (asked.action === 'version') return print(`${ENGINE_VERSION}\n`, around);
  if (asked.action === 'help') return print(HELP_TEXT, around);
  try {
    return await perform(asked, around);
  } catch (error) {
    return await fail(error, around);
  }
}

async function perform(asked: EngineArguments, around: EngineSurroundings): Promise<number> {
  const { configFile } = asked;
  const env = await engineEnvironment(around, configFile);
  const options = { ...around, env, ...(configFile === undefined ? {} : { configFile }) };
  if (asked.action === 'check') return (await import('./check-config.js')).checkConfig(options);
  if (asked.action === 'print-config') return (await import('./print-config.js')).printConfig(options);
  return run({ ...options, watch: asked.watch, since: 0 });
}

/** Nearly every engine runs Steps in Node: their process boots while this one still loads its own program. */
async function run(options: RunOptions): Promise<number> {
  helpCollector();
  const { bootSpare, dropSpare } = await import('@treadle/runtime-node/spare-process');
  bootSpare(options.env);
  (await import('./run/large-garbage.js')).boundGarbage();
  try {
    return await (await import('./run-engine.js')).runEngine(options);
  } finally {
    dropSpare();
  }
}

function print(text: string, around: EngineSurroundings): number {
  around.stdout.write(text);
  return 0;
}

async function refuse(problem: UsageProblem, around: EngineSurroundings): Promise<number> {
  const { treadleError, formatError } = await import('@treadle/api');
  const hint = problem.hint ?? await nearMiss(problem.unknownFlag);
  const error = treadleError('USAGE', { message: problem.message, ...(hint ? { hint } : {}) });
  around.stderr.write(`${formatError(error)}\n${USAGE_LINE}\n`);
  return error.exitCode;
}

async function nearMiss(flag: string | undefined): Promise<string | undefined> {
  if (flag === undefined) return undefined;
  const { nearest } = await import('@treadle/config');
  const suggestion = nearest(flag, ENGINE_FLAGS);
  return suggestion && `did you mean "${suggestion}"?`;
}

async function fail(error: unknown, around: EngineSurroundings): Promise<number> {
  const { asTreadleError, printError } = await import('./error-output.js');
  const known = asTreadleError(error, 'treadle-engine');
  printError(known, around.stderr);
  return known.exitCode;
}
