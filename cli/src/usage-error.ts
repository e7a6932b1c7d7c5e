import { treadleError, type TreadleError } from '@treadle/api';
import { nearest } from '@treadle/config';
import { isOfTheParser, lowered, usageText } from './usage-text.js';

interface OclifError extends Error {
  readonly oclif: { readonly exit?: number };
  /** Only errors of the argument parser have it: what was parsed against what. */
  readonly parse?: { readonly input?: { readonly flags?: Readonly<Record<string, unknown>> } };
  /** Of flags that do not exist. */
  readonly flags?: readonly string[];
  /** Of arguments that are missing, or too many. */
  readonly args?: readonly (string | { readonly name: string; readonly description?: string })[];
}

const SEE_HELP = 'add --help to see what the command takes';

/** What other tools call our commands, by the last word. */
const CALLED_ELSEWHERE: Readonly<Record<string, string>> = { ls: 'list', retry: 'redrive', drain: 'purge', rm: 'delete' };

/**
 * What oclif says of arguments that it cannot understand (`USAGE`), or a plugin's command of its failure
 * (`COMMAND_FAILED`), in our form; undefined for any other error.
 */
export function asUsageError(error: unknown): TreadleError | undefined {
  if (!isOclifError(error)) return undefined;
  if (error.parse === undefined && !isOfTheParser(error.message)) return treadleError('COMMAND_FAILED', { reason: usageText(error.message) }, { cause: error });
  const [flag] = error.flags ?? [];
  if (flag !== undefined) return unknownOption(flag, error);
  return treadleError('USAGE', { message: argumentsText(error) ?? usageText(error.message), hint: SEE_HELP }, { cause: error });
}

/** The exit code that a command asked for with `this.error(text, { exit })`. */
export function commandExitCode(error: unknown): number | undefined {
  return isOclifError(error) ? error.oclif.exit : undefined;
}

/** The refusal of a command that does not exist. @param known ids of the commands that do */
export function commandNotFound(id: string, known: readonly string[]): TreadleError {
  const typed = id.replaceAll(':', ' ');
  const commands = known.map((name) => name.replaceAll(':', ' '));
  const command = commands.find((name) => typed.startsWith(`${name} `));
  if (command) {
    const rest = typed.slice(command.length + 1);
    return treadleError('USAGE', { message: `"treadle ${command}" takes no argument "${rest}"`, hint: SEE_HELP });
  }
  return treadleError('USAGE', { message: `there is no command "${typed}"`, hint: commandHint(typed, commands) });
}

function commandHint(typed: string, commands: readonly string[]): string {
  const ours = typed.replace(/\w+$/, (word) => CALLED_ELSEWHERE[word] ?? word);
  const suggestion = commands.includes(ours) ? ours : nearest(typed, commands);
  if (suggestion) return `did you mean "treadle ${suggestion}"?`;
  const [topic = ''] = typed.split(' ');
  return commands.some((command) => command.startsWith(`${topic} `)) ? `"treadle ${topic} --help" lists its commands` : '"treadle --help" lists the commands';
}

function unknownOption(flag: string, error: OclifError): TreadleError {
  const known = Object.keys(error.parse?.input?.flags ?? {}).map((name) => `--${name}`);
  const suggestion = nearest(flag, known);
  const hint = suggestion ? `did you mean "${suggestion}"?` : SEE_HELP;
  return treadleError('USAGE', { message: `unknown option "${flag}"`, hint }, { cause: error });
}

function isOclifError(error: unknown): error is OclifError {
  return error instanceof Error && typeof (error as { oclif?: unknown }).oclif === 'object';
}

/** What is wrong with the number of arguments; undefined when something else is. */
function argumentsText({ args = [] }: OclifError): string | undefined {
  const extra = args.filter((arg) => typeof arg === 'string').map((arg) => `"${arg}"`);
  if (extra.length > 0) return `unexpected argument${extra.length === 1 ? '' : 's'} ${extra.join(', ')}`;
  const missing = args.filter((arg) => typeof arg !== 'string');
  const [first] = missing;
  if (missing.length > 1) return `arguments ${missing.map(({ name }) => `"${name}"`).join(' and ')} are missing`;
  return first && `argument "${first.name}" is missing${first.description === undefined ? '' : `: ${lowered(first.description)}`}`;
}
