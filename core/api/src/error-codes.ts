import { fileRemedy } from './file-remedy.js';

export const EXIT = {
  notFound: 1, usage: 64, application: 65, unavailable: 69, internal: 70, io: 74, config: 78,
} as const;

/** What an error says, and what to do about it. */
export interface ErrorText {
  readonly message: string;
  readonly hint?: string;
}

interface Plugin { readonly name: string; readonly version: string }
interface Keyed { readonly path: string }

const plugin = (p: Plugin): string => `plugin "${p.name}" ${p.version}`;
const text = (message: string, hint?: string): ErrorText => (hint === undefined ? { message } : { message, hint });
const near = (suggestion?: string): string | undefined => (suggestion ? `did you mean "${suggestion}"?` : undefined);

function entry<P>(exit: number, make: (params: P) => ErrorText): { exit: number; text: (params: P) => ErrorText } {
  return { exit, text: make };
}
function warning<P>(make: (params: P) => ErrorText): {
  exit: number; severity: 'warning'; text: (params: P) => ErrorText;
} {
  return { exit: 0, severity: 'warning', text: make };
}

const { application, config, internal, notFound, unavailable, io, usage } = EXIT;

/** Every error code with its exit code and its text. Codes are never reused. */
export const ERRORS = {
  USAGE: entry(usage, (p: { message: string; hint?: string }) => text(p.message, p.hint)),

  CONFIG_NOT_FOUND: entry(config, (p: { file: string }) => text(`there is no file "${p.file}"`)),
  CONFIG_NOT_READABLE: entry(config, (p: { file: string; reason: string }) =>
    text(`"${p.file}" cannot be read: ${p.reason}`)),
  CONFIG_TOO_LARGE: entry(config, (p: { file: string; bytes: number; maxBytes: number }) =>
    text(`"${p.file}" has ${p.bytes} bytes; at most ${p.maxBytes} are read`)),
  CONFIG_SYNTAX: entry(config, (p: { reason: string; snippet?: string }) =>
    text(p.snippet ? `${p.reason}\n${p.snippet}` : p.reason)),
  CONFIG_ENV_MISSING: entry(config, (p: Keyed & { variable: string }) =>
    text(`${p.path}: environment variable ${p.variable} is not set and has no default`,
      `write \${${p.variable}:value} or set it`)),
  ENVIRONMENT_INVALID: entry(config, (p: { problems: readonly string[] }) =>
    text(`the environment lacks what the application needs\n${p.problems.map((problem) => `  ${problem}`).join('\n')}`,
      'set the variables in the environment of the process or in the file .env, and start again')),
  CONFIG_UNKNOWN_CLASS: entry(config, (p: Keyed & { class: string; installed?: Plugin; suggestion?: string; hint?: string }) =>
    text(`${p.path}: no loaded package provides class "${p.class}"`,
      p.installed ? `it is provided by ${p.installed.name} ${p.installed.version}; add it to "plugins"` : p.hint ?? near(p.suggestion))),
  CONFIG_WRONG_SLOT: entry(config, (p: Keyed & { class: string; is: string; needed: string }) =>
    text(`${p.path}: "${p.class}" is a ${p.is}; a ${p.needed} is needed here`)),
  CONFIG_UNKNOWN_KEY: entry(config, (p: Keyed & { owner: string; key: string; suggestion?: string; hint?: string }) =>
    text(`${p.path}: ${p.owner} has no setting "${p.key}"`, p.hint ?? near(p.suggestion))),
  CONFIG_MISSING_KEY: entry(config, (p: Keyed & { owner: string; key: string; when?: string }) =>
    text(`${p.path}: ${p.owner} needs "${p.key}"${p.when ? ` when ${p.when}` : ''}`)),
  /** `problem` is either `expected integer 1-65535, got "abc"` or `port must be <= 65535; got 70000`. */
  CONFIG_BAD_VALUE: entry(config, (p: Keyed & { problem: string; hint?: string }) =>
    text(`${p.path}: ${p.problem}`, p.hint)),
  CONFIG_BAD_ENV: entry(config, (p: Keyed & { variable: string; value: string; owner: string; key: string; must: string }) =>
    text(`${p.path}: ${p.variable} is ${p.value}; ${p.owner} ${p.key} must be ${p.must}`)),
  /** `single`: it provides a port, of which an engine has one, so a name would not help. */
  CONFIG_DUPLICATE_INSTANCE: entry(config, (p: Keyed & { id: string; other: string; single?: boolean }) =>
    text(`${p.path}: ${p.id} is already at ${p.other}`, p.single ? 'remove one of them' : 'give one of them another "name"')),
  CONFIG_CONFLICT: entry(config, (p: Keyed & { problem: string; hint?: string }) =>
    text(`${p.path}: ${p.problem}`, p.hint)),
  CONFIG_DEPRECATED_KEY: warning((p: Keyed & { since?: string; use: string }) =>
    text(`${p.path}: deprecated${p.since ? ` since ${p.since}` : ''}; ${p.use}`)),
  CONFIG_DEPRECATED_CLASS: warning((p: Keyed & { class: string; use: string }) =>
    text(`${p.path}: class "${p.class}" is deprecated; use "${p.use}"`)),

  PLUGIN_NOT_INSTALLED: entry(config, (p: { name: string; folder: string; parents: number }) =>
    text(`plugin "${p.name}" is not installed (looked in ${p.folder} and ${p.parents} parent folders)`,
      `npm install ${p.name}`)),
  PLUGIN_NOT_FOUND: entry(config, (p: { name: string; path: string }) =>
    text(`plugin "${p.name}" does not exist (looked for ${p.path})`)),
  PLUGIN_NOT_A_PLUGIN: entry(config, (p: Plugin) =>
    text(`package "${p.name}" ${p.version} has no "treadle" section in its package.json`)),
  PLUGIN_BAD_MANIFEST: entry(config, (p: Plugin & { problem: string }) =>
    text(`${plugin(p)}: its package.json ${p.problem}`)),
  PLUGIN_API_MISMATCH: entry(config, (p: Plugin & { needs: string; has: string; upgrade?: string }) =>
    text(`${plugin(p)} needs @treadle/api ${p.needs}; this engine has ${p.has}`,
      p.upgrade ? `install ${p.name}@${p.upgrade} or upgrade the engine` : 'install a version made for this engine or upgrade the engine')),
  PLUGIN_NODE_MISMATCH: entry(config, (p: Plugin & { needs: string; has: string }) =>
    text(`${plugin(p)} needs Node ${p.needs}; this is ${p.has}`)),
  PLUGIN_DEPENDENCY_MISSING: entry(config, (p: Plugin & { dependency: string; importer: string }) =>
    text(`${plugin(p)} could not be loaded: its dependency "${p.dependency}" is not installed (imported from ${p.importer})`)),
  PLUGIN_LOAD_FAILED: entry(config, (p: Plugin & { reason: string; place: string }) =>
    text(`${plugin(p)} threw while loading: ${p.reason} (${p.place})`)),
  PLUGIN_BAD_EXPORT: entry(config, (p: Plugin & { entry: string; found: string }) =>
    text(`${plugin(p)}: ${p.entry} has no default export made by definePlugin() (found: ${p.found})`)),
  PLUGIN_PROVIDES_MISMATCH: entry(config, (p: Plugin & { class: string; listed?: boolean }) =>
    text(p.listed
      ? `${plugin(p)} lists ${p.class} in "treadle.provides" of its package.json, but does not export it`
      : `${plugin(p)} exports ${p.class}, which its package.json "treadle.provides" does not list`)),
  PLUGIN_DUPLICATE_API: entry(config, duplicateApi),
  PLUGIN_DUPLICATE_API_COPY: warning(duplicateApi),
  PLUGIN_TIMEOUT: entry(config, (p: Plugin & { seconds: number }) =>
    text(`${plugin(p)} did not finish loading in ${p.seconds} s (top-level await?)`)),
  CLASS_BAD_ID: entry(config, (p: { plugin: string; id: string }) =>
    text(`plugin "${p.plugin}": "${p.id}" is not a class ID (owner::block::Name or owner::block::adapters::Name)`)),
  CLASS_RESERVED_OWNER: entry(config, (p: { plugin: string; owner: string; example: string }) =>
    text(`plugin "${p.plugin}": class IDs starting with "${p.owner}::" are reserved; use your own owner, e.g. "${p.example}"`)),
  CLASS_BAD_SCHEMA: entry(config, (p: { class: string; reason: string }) =>
    text(`the config schema of ${p.class} is not valid: ${p.reason}`, 'this is a fault of the package that provides the class')),
  CLASS_DUPLICATE: entry(config, (p: { class: string; first: Plugin; second: Plugin }) =>
    text(`class ${p.class} is provided by ${p.first.name} ${p.first.version} and by ${p.second.name} ${p.second.version}`,
      'remove one of them from "plugins"')),
  CLASS_UNDECLARED: entry(config, (p: { plugin: string; class: string; kind: 'module' | 'adapter' }) =>
    text(`plugin "${p.plugin}": ${p.class} in "${p.kind}s" has no @${p.kind === 'module' ? 'Module' : 'Adapter'} declaration`)),

  PORT_MISSING: entry(config, (p: { class: string; token: string; add?: string }) =>
    text(`${p.class} needs ${p.token}, which no module in this config provides`, p.add ? `add ${p.add}` : undefined)),
  PORT_DUPLICATE: entry(config, (p: { token: string; first: string; second: string }) =>
    text(`${p.token} is provided by ${p.first} and by ${p.second}`)),
  MODULE_CYCLE: entry(config, (p: { steps: readonly { class: string; needs: string }[] }) =>
    text(`modules depend on each other: ${[...p.steps.map((s) => `${s.class} needs ${s.needs}`), p.steps[0]?.class ?? ''].join(' › ')}`)),
  CAPABILITY_MISSING: entry(config, (p: { class: string; slot: string; capability: string; adapter: string }) =>
    text(`${p.class} needs a ${p.slot} adapter with ${p.capability}; ${p.adapter} has none`)),
  CAPABILITY_UNSUPPORTED: entry(internal, (p: { class: string; operation: string }) =>
    text(`${p.class} does not support ${p.operation}`)),

  MODULE_CONSTRUCT_FAILED: entry(internal, (p: { class: string; where: string; reason: string }) =>
    text(`${p.class} (${p.where}) failed while it was constructed: ${p.reason}`)),
  MODULE_PORTS_MISMATCH: entry(internal, (p: { class: string; token: string; declared: boolean }) =>
    text(p.declared ? `${p.class} declares that it provides ${p.token}, but ports() does not return it`
      : `${p.class} returns ${p.token} from ports(), which it does not declare in "provides"`)),
  MODULE_INIT_FAILED: entry(internal, (p: { class: string; where: string; ms: number; reason: string }) =>
    text(`${p.class} (${p.where}) failed in init after ${p.ms} ms: ${p.reason}`)),
  MODULE_START_FAILED: entry(internal, (p: { class: string; where: string; ms: number; reason: string }) =>
    text(`${p.class} (${p.where}) failed in start after ${p.ms} ms: ${p.reason}`)),
  MODULE_RECONFIGURE_FAILED: entry(internal, (p: { class: string; where: string; ms: number; reason: string }) =>
    text(`${p.class} (${p.where}) did not take its new settings after ${p.ms} ms: ${p.reason}`, 'the former ones are in force; mend the settings and reload again')),
  MODULE_STOP_FAILED: entry(internal, (p: { class: string; where: string; phase: string; reason: string }) =>
    text(`${p.class} (${p.where}) failed in ${p.phase}: ${p.reason}`)),
  MODULE_TIMEOUT: entry(internal, (p: { class: string; of?: string; phase: string; seconds: number }) =>
    text(`${p.class}${p.of ? ` (${p.of})` : ''} did not finish ${p.phase} in ${p.seconds} s`)),
  DI_PARAM_WITHOUT_TOKEN: entry(internal, (p: { class: string; index: number; signature: string }) =>
    text(`parameter ${p.index} of the constructor of ${p.class} has no @Inject (${p.signature})`,
      'every constructor parameter needs @Inject(token), @InjectConfig() or @InjectAdapter(path)')),
  DI_DUPLICATE_PROVIDER: entry(internal, (p: { token: string; first: string; second: string }) =>
    text(`${p.token} is provided twice: by ${p.first} and by ${p.second}`)),
  DI_UNKNOWN_TOKEN: entry(internal, (p: { token: string; path: readonly string[] }) =>
    text(`nothing provides ${p.token}${p.path.length > 0 ? ` (needed by ${p.path.join(' -> ')})` : ''}`)),

  ADDRESS_IN_USE: entry(unavailable, (p: { address: string; setting: string }) =>
    text(`address ${p.address} is already in use`, `free it or change ${p.setting}`)),
  ADDRESS_REFUSED: entry(unavailable, (p: { address: string; setting: string; reason: string }) =>
    text(`cannot listen on ${p.address}: ${p.reason}`, `change ${p.setting}`)),
  DATA_DIR_LOCKED: entry(unavailable, (p: { dir: string; pid: number }) =>
    text(`data directory "${p.dir}" is in use by an engine with pid ${p.pid}`, 'stop it or set another engine.data_dir')),
  DATA_DIR_UNUSABLE: entry(io, (p: { dir: string; reason: string }) =>
    text(`data directory "${p.dir}" cannot be used: ${p.reason}`, fileRemedy(p.reason))),
  STORE_LOCKED: entry(unavailable, (p: { file: string; pid: number }) =>
    text(`database "${p.file}" is in use by an engine with pid ${p.pid}`, 'stop it or set another file_path')),
  STORE_NEWER: entry(unavailable, (p: { file: string; area: string; version: number; known: number }) =>
    text(`database "${p.file}" was written by a newer version: its ${p.area} tables have version ${p.version}; `
      + `${p.known} is the newest known here`, 'use that version again, or restore a backup made before it')),
  STORE_UNUSABLE: entry(io, (p: { file: string; reason: string }) => text(`database "${p.file}" cannot be opened: ${p.reason}`, fileRemedy(p.reason))),
  /** `lost`: nothing of it can be read. */
  STORE_DAMAGED: entry(io, (p: { file: string; reason: string; lost?: boolean }) =>
    text(`database "${p.file}" is damaged: ${p.reason}`, p.lost ? 'put a backup in its place; keep all files until then'
      : 'put a backup in its place, or save what can be read with "treadle store salvage"; '
      + `"treadle store check" looks at it. Keep all files until then${
        p.reason.includes('not what was written') ? `. When another program changed it on purpose, remove "${p.file}.mark"` : ''}`)),
  STORE_FAILED: entry(io, (p: { file: string; reason: string }) =>
    text(`writing to database "${p.file}" failed: ${p.reason}`,
      'writes that were not acknowledged may or may not be stored; look at the disk, and with "treadle store check" at the files, before you start again')),
  STORE_IN_USE: entry(unavailable, (p: { store: string; users: string }) =>
    text(`${p.store} is in use: ${p.users}`, 'stop what uses it, wait until it has ended, and try again')),
  /** `what`: of what there is some. */
  COPY_TARGET_NOT_EMPTY: entry(usage, (p: { store: string; what: string }) =>
    text(`nothing is copied to ${p.store}: it has ${p.what}, which no copy from this store has brought`,
      'name an empty store: another file or schema, or remove the one that is there when nobody needs it')),
  COPY_UNFINISHED: entry(unavailable, (p: { store: string }) =>
    text(`${p.store} is half of a copy: "treadle store copy" to it has not come to its end`,
      'run the same "treadle store copy" again, it goes on where it was; or remove the store and begin again')),
  COPY_OUTDATED: entry(unavailable, (p: { from: string; to: string }) =>
    text(`the copy from ${p.from} to ${p.to} is outdated: an engine has used the source since it began`,
      'begin again with an empty store; when an engine has used the target of a complete copy as well, decide first which of the two is wanted')),
  COPY_NOT_POSSIBLE: entry(usage, (p: { what: string; reason: string; hint: string }) => text(`${p.what} cannot be copied: ${p.reason}`, p.hint)),
  ENGINE_STOPPED: entry(0, (_p: Readonly<Record<string, never>>) => text('the engine was stopped while it was starting')),
  SERVICE_UNAVAILABLE: entry(unavailable, (p: { service: string; reason: string }) =>
    text(`${p.service} is not available: ${p.reason}`)),
  FILE_NOT_WRITABLE: entry(io, (p: { file: string; reason: string }) => text(`"${p.file}" cannot be written: ${p.reason}`, fileRemedy(p.reason))),
  BUILD_UNREADABLE: entry(application, (p: { file: string; reason: string }) =>
    text(`the build cannot be run: ${p.file}: ${p.reason}`, 'run "treadle build" again, or remove the file to run the sources')),
  BUILD_FAILED: entry(application, (p: { reason: string }) => text(`the application cannot be built: ${p.reason}`)),
  ENGINE_NOT_INSTALLED: entry(unavailable, (p: { folder: string; command: string }) =>
    text(`@treadle/engine is not installed (looked in ${p.folder} and its parent folders)`, p.command)),
  ENGINE_NOT_RUNNING: entry(unavailable, (p: { dir: string }) =>
    text(`no engine runs on data directory "${p.dir}"`, 'start it, or name another one with --url or --config')),
  ADMIN_NOT_SERVED: entry(unavailable, (p: { pid: number }) =>
    text(`the engine with pid ${p.pid} serves no admin API`, 'add modules::console::ConsoleModule to its configuration')),
  /** What a command asks a running engine for is not there: a key, a message, a trace, a Step. */
  NOT_FOUND: entry(notFound, (p: { message: string; hint?: string }) => text(p.message, p.hint)),
  ADMIN_UNREACHABLE: entry(unavailable, (p: { url: string; reason: string }) =>
    text(`the admin API at ${p.url} does not answer: ${p.reason}`, 'see whether the engine runs and whether the address is its own')),
  ADMIN_REFUSED: entry(unavailable, (p: { url: string; reason: string; hint?: string }) =>
    text(`the admin API at ${p.url} refused: ${p.reason}`, p.hint)),
  INSTALL_FAILED: entry(unavailable, (p: { command: string; folder: string; reason: string }) =>
    text(`"${p.command}" failed in ${p.folder}: ${p.reason}`, 'run it there yourself')),
  /** A command that a plugin added. */
  COMMAND_FAILED: entry(internal, (p: { reason: string }) => text(p.reason)),
  INTERNAL: entry(internal, (p: { reason: string }) => text(p.reason)),
} as const;

/** A code of the table. */
export type ErrorCode = keyof typeof ERRORS;
/** What the text of a code names. */
export type ErrorParams<C extends ErrorCode> = Parameters<(typeof ERRORS)[C]['text']>[0];

function duplicateApi(p: Plugin & { copyVersion: string; folder: string }): ErrorText {
  return text(`${plugin(p)} brings its own copy of @treadle/api (${p.copyVersion} in ${p.folder})`, 'make it a peerDependency');
}
