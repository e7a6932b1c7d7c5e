import { parseArgs } from 'node:util';

/** What the command line asks for. */
export type EngineAction = 'run' | 'check' | 'print-config' | 'version' | 'help';

export interface EngineArguments {
  readonly kind: 'arguments';
  readonly action: EngineAction;
  /** As written; relative to the working directory. */
  readonly configFile?: string;
  readonly watch: boolean;
}

/** The command line cannot be understood; ends with exit code 64. */
export interface UsageProblem {
  readonly kind: 'problem';
  readonly message: string;
  readonly hint?: string;
  /** A flag that does not exist; the caller may look for a near miss among `ENGINE_FLAGS`. */
  readonly unknownFlag?: string;
}

const OPTIONS = {
  config: { type: 'string', short: 'c', multiple: true },
  check: { type: 'boolean' },
  'print-config': { type: 'boolean' },
  watch: { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const;

type FlagName = keyof typeof OPTIONS;
interface Given { readonly flags: Set<FlagName>; readonly configs: string[] }
type Token = ReturnType<typeof tokenize>[number];

/** Every flag as it is typed. */
export const ENGINE_FLAGS: readonly string[] = Object.keys(OPTIONS).map((name) => `--${name}`);

/** Understands the arguments after the program's name. Never throws. */
export function parseEngineArguments(argv: readonly string[]): EngineArguments | UsageProblem {
  const given: Given = { flags: new Set(), configs: [] };
  for (const token of tokenize(argv)) {
    const problem = take(token, given);
    if (problem) return problem;
  }
  return decide(given);
}

function tokenize(argv: readonly string[]) {
  // Not strict: the texts of our own refusals name the near miss and the usage line.
  return parseArgs({ args: [...argv], options: OPTIONS, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function take(token: Token, given: Given): UsageProblem | undefined {
  if (token.kind === 'option-terminator') return undefined;
  if (token.kind === 'positional') return unexpectedArgument(token.value);
  if (!Object.hasOwn(OPTIONS, token.name)) {
    return { kind: 'problem', message: `unknown option "${token.rawName}"`, unknownFlag: token.rawName };
  }
  const name = token.name as FlagName;
  given.flags.add(name);
  if (name === 'config') return takeConfig(token.value, token.inlineValue === true, given);
  return token.value === undefined ? undefined
    : { kind: 'problem', message: `option "--${name}" takes no value, got "${token.value}"` };
}

function takeConfig(value: string | undefined, inline: boolean, given: Given): UsageProblem | undefined {
  if (value === undefined || value === '' || (!inline && value.startsWith('-'))) {
    return { kind: 'problem', message: 'option "--config" needs a file' };
  }
  given.configs.push(value);
  return given.configs.length > 1 ? { kind: 'problem', message: 'option "--config" is given twice' } : undefined;
}

function unexpectedArgument(value: string): UsageProblem {
  const problem = { kind: 'problem', message: `unexpected argument "${value}"` } as const;
  return /\.ya?ml$/i.test(value) ? { ...problem, hint: `did you mean "--config ${value}"?` } : problem;
}

function decide({ flags, configs }: Given): EngineArguments | UsageProblem {
  const [configFile] = configs;
  const modes = (['check', 'print-config', 'watch'] as const).filter((name) => flags.has(name));
  if (flags.has('help')) return { kind: 'arguments', action: 'help', watch: false };
  if (flags.has('version')) return { kind: 'arguments', action: 'version', watch: false };
  if (modes.length > 1) {
    return { kind: 'problem', message: `options ${modes.map((name) => `"--${name}"`).join(' and ')} exclude each other` };
  }
  if (flags.has('watch') && configFile === undefined) {
    return { kind: 'problem', message: 'option "--watch" needs "--config": there is no file to watch' };
  }
  const action = flags.has('check') ? 'check' : flags.has('print-config') ? 'print-config' : 'run';
  return { kind: 'arguments', action, watch: flags.has('watch'), ...(configFile === undefined ? {} : { configFile }) };
}
