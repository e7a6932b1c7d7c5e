import type { ErrorCode, ErrorParams } from '@treadle/api';

/** What the reference says of a code: when it appears, and an example of its text. */
export interface ErrorSample<C extends ErrorCode> {
  readonly when: string;
  readonly params: ErrorParams<C>;
}

type Samples = { readonly [C in ErrorCode]?: ErrorSample<C> };

const PLUGIN = { name: 'acme-treadle-sqs', version: '0.3.1' };
const SQS = 'acme::queue::adapters::Sqs';
const HTTP = 'modules::http::HttpModule';
const STATE = 'modules::state::StateModule';

/** One for every code; a test finds those that are missing. */
export const CONFIG_SAMPLES: Samples = {
  USAGE: { when: 'a command was called with flags or arguments that it does not have', params: { message: 'unknown flag "--prot"', hint: 'did you mean "--port"?' } },
  CONFIG_NOT_FOUND: { when: 'the named configuration file does not exist', params: { file: 'config.yaml' } },
  CONFIG_NOT_READABLE: { when: 'the configuration file exists but cannot be read', params: { file: 'config.yaml', reason: 'permission denied' } },
  CONFIG_TOO_LARGE: { when: 'the configuration file is larger than a configuration can sensibly be', params: { file: 'config.yaml', bytes: 2_097_152, maxBytes: 1_048_576 } },
  CONFIG_SYNTAX: { when: 'the file is not valid YAML, or a key appears twice', params: { reason: 'duplicated mapping key' } },
  CONFIG_ENV_MISSING: { when: 'a placeholder names a variable that is not set and gives no default', params: { path: 'modules[0].config.port', variable: 'HTTP_PORT' } },
  ENVIRONMENT_INVALID: {
    when: 'variables that a `*.env.ts` or `*_env.py` declares are missing or wrong, or, in production, a guard has no secret',
    params: { problems: ['steps/app.env.ts:3  DATABASE_URL is not set'] },
  },
  CONFIG_UNKNOWN_CLASS: { when: 'no built-in package and no listed plugin provides the class', params: { path: 'modules[1].class', class: 'modules::http::HtpModule', suggestion: HTTP } },
  CONFIG_WRONG_SLOT: { when: 'the adapter exists, but is made for another slot', params: { path: 'modules[1].config.adapter.class', class: SQS, is: 'queue adapter', needed: 'stream adapter' } },
  CONFIG_UNKNOWN_KEY: { when: 'the class has no such setting', params: { path: 'modules[0].config.hosst', owner: HTTP, key: 'hosst', suggestion: 'host' } },
  CONFIG_MISSING_KEY: { when: 'a setting without default is not written', params: { path: 'modules[0].config', owner: SQS, key: 'queue_url' } },
  CONFIG_BAD_VALUE: { when: 'a value does not fit the type or the bounds of its setting', params: { path: 'modules[0].config.port', problem: 'expected integer 0-65535, got "abc"' } },
  CONFIG_BAD_ENV: { when: 'the text of an environment variable does not fit its setting', params: { path: 'modules[0].config.port', variable: 'HTTP_PORT', value: '"abc"', owner: HTTP, key: 'port', must: 'an integer' } },
  CONFIG_DUPLICATE_INSTANCE: { when: 'two entries have the same class and name', params: { path: 'modules[2]', id: HTTP, other: 'modules[0]', single: true } },
  CONFIG_CONFLICT: { when: 'two settings contradict each other', params: { path: 'modules[0].config.cors', problem: 'credentials cannot be combined with "*" in allowed_origins' } },
  CONFIG_DEPRECATED_KEY: { when: 'a setting has a successor', params: { path: 'modules[1].config.adapter.path', since: '1.2.0', use: 'use "file_path"' } },
  CONFIG_DEPRECATED_CLASS: { when: 'a class has a new name', params: { path: 'modules[1].class', class: 'acme::queue::Old', use: 'acme::queue::New' } },
};

export const PLUGIN_SAMPLES: Samples = {
  PLUGIN_NOT_INSTALLED: { when: 'a package in `plugins` is not in any `node_modules` above the configuration file', params: { name: PLUGIN.name, folder: '/app/node_modules', parents: 2 } },
  PLUGIN_NOT_FOUND: { when: 'a relative path in `plugins` leads nowhere', params: { name: './plugins/sqs', path: '/app/plugins/sqs' } },
  PLUGIN_NOT_A_PLUGIN: { when: 'the package is installed, but is no Treadle plugin', params: { name: 'left-pad', version: '1.3.0' } },
  PLUGIN_BAD_MANIFEST: { when: 'the `treadle` section of the package.json is not as it should be', params: { ...PLUGIN, problem: 'has no "treadle.api"' } },
  PLUGIN_API_MISMATCH: { when: 'the plugin was made for another version of `@treadle/api`', params: { ...PLUGIN, needs: '^2.0.0', has: '1.4.2', upgrade: '^0.2' } },
  PLUGIN_NODE_MISMATCH: { when: 'the plugin needs another version of Node.js', params: { ...PLUGIN, needs: '>=22.15', has: '20.20.2' } },
  PLUGIN_DEPENDENCY_MISSING: { when: 'the plugin imports a package that is not installed', params: { ...PLUGIN, dependency: '@aws-sdk/client-sqs', importer: 'node_modules/acme-treadle-sqs/dist/sqs.js' } },
  PLUGIN_LOAD_FAILED: { when: 'the code of the plugin threw while it was imported', params: { ...PLUGIN, reason: 'TypeError: x is not a function', place: 'node_modules/acme-treadle-sqs/dist/index.js:12' } },
  PLUGIN_BAD_EXPORT: { when: 'the entry of the plugin does not export what `definePlugin()` returns', params: { ...PLUGIN, entry: 'dist/index.js', found: 'object with keys a, b' } },
  PLUGIN_PROVIDES_MISMATCH: { when: 'the classes of the code and of the manifest differ', params: { ...PLUGIN, class: 'acme::queue::adapters::Sqs2' } },
  PLUGIN_DUPLICATE_API: { when: 'the plugin brings an incompatible second copy of `@treadle/api`', params: { ...PLUGIN, copyVersion: '1.2.0', folder: 'node_modules/acme-treadle-sqs/node_modules' } },
  PLUGIN_DUPLICATE_API_COPY: { when: 'the plugin brings a compatible second copy of `@treadle/api`', params: { ...PLUGIN, copyVersion: '1.2.0', folder: 'node_modules/acme-treadle-sqs/node_modules' } },
  PLUGIN_TIMEOUT: { when: 'importing the plugin takes too long', params: { ...PLUGIN, seconds: 10 } },
  CLASS_BAD_ID: { when: 'a class ID does not follow the naming scheme', params: { plugin: PLUGIN.name, id: 'acme.queue.Sqs' } },
  CLASS_RESERVED_OWNER: { when: 'a third party uses an owner that is reserved', params: { plugin: PLUGIN.name, owner: 'modules', example: SQS } },
  CLASS_BAD_SCHEMA: { when: 'the config schema of a class is not valid', params: { class: SQS, reason: 'unknown keyword "typ"' } },
  CLASS_DUPLICATE: { when: 'two packages provide the same class', params: { class: SQS, first: PLUGIN, second: { name: 'acme-treadle-sqs-fork', version: '0.1.0' } } },
  CLASS_UNDECLARED: { when: 'a class of a plugin carries no declaration', params: { plugin: PLUGIN.name, class: 'Sqs', kind: 'adapter' } },
};

export const MODULE_SAMPLES: Samples = {
  PORT_MISSING: { when: 'a module needs a port that no module of the configuration provides', params: { class: HTTP, token: 'engine.StatePort', add: STATE } },
  PORT_DUPLICATE: { when: 'two modules provide the same port', params: { token: 'engine.QueuePort', first: 'modules[2] modules::queue::QueueModule', second: 'modules[5] acme::queue::FastQueue' } },
  MODULE_CYCLE: { when: 'modules need each other in a circle', params: { steps: [{ class: 'acme::a::A', needs: 'acme.B' }, { class: 'acme::b::B', needs: 'acme.A' }] } },
  CAPABILITY_MISSING: { when: 'the chosen adapter lacks what the settings ask for', params: { class: STATE, slot: 'state', capability: 'compareAndSet', adapter: 'acme::state::adapters::Plain' } },
  CAPABILITY_UNSUPPORTED: { when: 'an operation was called that the adapter does not declare', params: { class: 'acme::state::adapters::Plain', operation: 'compareAndSet' } },
  MODULE_CONSTRUCT_FAILED: { when: 'the constructor of a class threw', params: { class: SQS, where: 'modules[2].config.adapter', reason: 'TypeError: url is undefined' } },
  MODULE_PORTS_MISMATCH: { when: 'a module declares other ports than it provides', params: { class: 'acme::a::A', token: 'acme.A', declared: true } },
  MODULE_INIT_FAILED: { when: 'a module could not acquire what it needs', params: { class: STATE, where: 'modules[3]', ms: 12, reason: 'SQLITE_CANTOPEN: unable to open database file "/data/state.db"' } },
  MODULE_START_FAILED: { when: 'a module could not let traffic in', params: { class: HTTP, where: 'modules[0]', ms: 3, reason: 'listen EMFILE: too many open files' } },
  MODULE_RECONFIGURE_FAILED: { when: 'a module could not take the new settings of a reload; it goes on with the former ones', params: { class: HTTP, where: 'modules[0]', ms: 3, reason: 'listen EMFILE: too many open files' } },
  MODULE_STOP_FAILED: { when: 'a module failed while it was stopped; the others are stopped all the same', params: { class: STATE, where: 'modules[3]', phase: 'stop', reason: 'the file was removed' } },
  MODULE_TIMEOUT: { when: 'a phase of a module or adapter took longer than its limit', params: { class: SQS, of: 'adapter of modules[2]', phase: 'init', seconds: 10 } },
  DI_PARAM_WITHOUT_TOKEN: { when: 'a constructor parameter of a class is not decorated', params: { class: 'FastQueue', index: 1, signature: 'constructor(config, hub)' } },
  DI_DUPLICATE_PROVIDER: { when: 'ports() of a module returns a port twice', params: { token: 'acme.A', first: 'acme::a::A', second: 'acme::a::A' } },
  DI_UNKNOWN_TOKEN: { when: 'an object needs a token that nothing provides', params: { token: 'acme.A', path: ['acme::b::B'] } },
};

export const RUNTIME_SAMPLES: Samples = {
  ADDRESS_IN_USE: { when: 'another process listens on the address', params: { address: '127.0.0.1:3111', setting: 'modules[0].config.port' } },
  ADDRESS_REFUSED: { when: 'the system does not allow the address', params: { address: '127.0.0.1:80', setting: 'modules[0].config.port', reason: 'permission denied' } },
  DATA_DIR_LOCKED: { when: 'another engine runs on the same data', params: { dir: 'data', pid: 4711 } },
  DATA_DIR_UNUSABLE: { when: 'the data directory cannot be made or written', params: { dir: 'data', reason: 'permission denied' } },
  STORE_LOCKED: { when: 'another engine has the database open', params: { file: 'data/treadle.db', pid: 4711 } },
  STORE_NEWER: { when: 'a newer version has changed the database', params: { file: 'data/treadle.db', area: 'state', version: 3, known: 2 } },
  STORE_UNUSABLE: { when: 'the database cannot be opened', params: { file: 'data/treadle.db', reason: 'permission denied' } },
  STORE_DAMAGED: { when: 'the database is not sound', params: { file: 'data/treadle.db', reason: 'SQLITE_NOTADB: file is not a database' } },
  STORE_FAILED: { when: 'the disk did not store what it was told to', params: { file: 'data/treadle.db', reason: 'SQLITE_IOERR_FSYNC: disk I/O error' } },
  STORE_IN_USE: {
    when: 'a store of several engines is copied while one of them runs, or an engine starts while it is copied',
    params: { store: 'PostgreSQL 127.0.0.1:5432/treadle, schema treadle', users: '"treadle store copy" runs' },
  },
  COPY_TARGET_NOT_EMPTY: {
    when: '"treadle store copy" is to fill a store that has something already', params: { store: 'SQLite data/treadle.db', what: '3 rows of the kind state.entry' },
  },
  COPY_UNFINISHED: { when: 'an engine is started on the target of a copy that was broken off', params: { store: 'database "data/treadle.db"' } },
  COPY_OUTDATED: {
    when: 'a copy, half or complete, is given again after an engine has used its source', params: { from: 'SQLite data/treadle.db', to: 'PostgreSQL 127.0.0.1:5432/treadle, schema treadle' },
  },
  COPY_NOT_POSSIBLE: {
    when: 'an adapter cannot be copied, or not to that other one',
    params: { what: 'what modules::state::adapters::Sqlite keeps', reason: 'it is in memory, and ends with the engine', hint: 'name the slots to be copied, for example --slot queue --slot stream --slot cron' },
  },
  ENGINE_STOPPED: { when: 'a signal came before the engine was ready', params: {} },
  SERVICE_UNAVAILABLE: {
    when: 'a service that an adapter needs cannot be reached, or the process that imports Step files for a command such as `check` does not begin',
    params: { service: 'redis://127.0.0.1:6379', reason: 'connection refused' },
  },
  BUILD_UNREADABLE: { when: 'the engine finds a build in `dist` whose lock file it cannot use', params: { file: 'dist/treadle.lock.json', reason: 'it is not a JSON object' } },
  BUILD_FAILED: { when: 'files that load one by one cannot be compiled together', params: { reason: 'No matching export in "src/ticket.ts" for import "Ticket"' } },
  FILE_NOT_WRITABLE: { when: 'a command cannot write its result', params: { file: 'treadle.schema.json', reason: 'permission denied' } },
  ENGINE_NOT_RUNNING: { when: 'a command needs a running engine and finds none', params: { dir: '/app/data' } },
  ADMIN_NOT_SERVED: { when: 'a command finds an engine without the console module', params: { pid: 4711 } },
  ADMIN_UNREACHABLE: { when: 'a command cannot reach the engine that it found', params: { url: 'http://127.0.0.1:3113', reason: 'connect ECONNREFUSED 127.0.0.1:3113' } },
  NOT_FOUND: { when: 'a running engine does not have what a command asks for', params: { message: 'there is no key "42" in group "tickets"' } },
  ADMIN_REFUSED: {
    when: 'the engine does not let a command in, or cannot do what it asks',
    params: { url: 'http://127.0.0.1:3113', reason: 'the bearer token is wrong', hint: 'set ADMIN_TOKEN to the engine\'s token' },
  },
  ENGINE_NOT_INSTALLED: { when: 'a command needs the engine and the application does not have it', params: { folder: '/app', command: 'npm install @treadle/engine@0.1.0' } },
  INSTALL_FAILED: { when: 'the package manager failed', params: { command: 'npm install', folder: '/app', reason: 'exit code 1' } },
  COMMAND_FAILED: { when: 'a command that a plugin added threw', params: { reason: 'connection refused' } },
  INTERNAL: { when: 'something that should not happen did; please report it', params: { reason: 'the plan has no entry for modules[7]' } },
};
