import type { StepFileProblem } from '@treadle/api';
import { roleOfFile } from '@treadle/worker/discover';
import type { Finding } from './finding.js';

const KINDS: Readonly<Record<StepFileProblem['kind'], { code: string; remedy: string }>> = {
  syntax: { code: 'STEP_SYNTAX', remedy: 'correct the syntax' },
  import: { code: 'STEP_IMPORT_FAILED', remedy: 'make the file load without an error; work that may fail belongs in the handler' },
  missing_config: { code: 'STEP_NO_CONFIG', remedy: 'export a const named "config", or step(config, handler) as default' },
  missing_authenticate: { code: 'STEP_NO_AUTHENTICATE', remedy: 'export a function named "authenticate"' },
  missing_handler: { code: 'STEP_NO_HANDLER', remedy: 'export a function named "handler", or step(config, handler) as default' },
  timeout: { code: 'STEP_LOAD_TIMEOUT', remedy: 'remove the loop or the top-level await that does not end; work that takes long belongs in the handler' },
  crash: { code: 'STEP_ENDS_PROCESS', remedy: 'remove what ends or kills the process when the file is imported, e.g. process.exit(); save the file to try it again' },
  interpreter: { code: 'STEP_NO_INTERPRETER', remedy: 'install one, or name one in the config of the runtime' },
  schema: { code: 'STEP_BAD_SCHEMA', remedy: 'use a schema that can be expressed as JSON Schema' },
  setup: { code: 'STEP_SETUP_FAILED', remedy: 'mend what it opens; it is tried again by itself, and the Steps that it holds for answer 503 until then' },
  environment: { code: 'STEP_ENV_INVALID', remedy: 'set what is missing or wrong, in the environment of the process or in the file .env, and start again' },
  secret: { code: 'STEP_SECRET_MISSING', remedy: 'set the variable, in the environment of the process or in the file .env, and start again' },
};

const PYTHON_STREAM_CONFIG = 'write "config = {…}" with the name of the stream';
const STREAM_CONFIG = 'export a const named "config" with the name of the stream, or that object as default';

const PYTHON_SETUP = 'write "async def setup(context): …; yield value; …" in the file';
const SETUP = 'export setup({ open, close }) as default';
const SETUP_CRASH = 'remove what blocks or ends the process, e.g. a loop without an await; save the file to try it again. The Steps that it holds for answer 503 until then';
const PYTHON_MIDDLEWARE = 'write "async def middleware(request, ctx, next)" in the file';
const MIDDLEWARE = 'export a function as default';

/** What differs for Python. */
const IN_PYTHON: Readonly<Partial<Record<StepFileProblem['kind'], string>>> = {
  missing_config: 'write "config = {…}" in the file, or step(config, handler)',
  missing_handler: 'write "def handler(input, ctx)" in the file, or step(config, handler)',
  missing_authenticate: 'write "def authenticate(request)" in the file',
  timeout: 'move what does not end into the handler',
  crash: 'remove what ends or kills the process when the file is imported, e.g. os._exit(); save the file to try it again',
  schema: 'use a JSON Schema dict or a pydantic model',
  interpreter: 'install Python 3.10 or newer, or name one by "python" in the config of modules::runtime::adapters::Python',
};

/** The finding for a file that could not be loaded. */
export function fileProblem(problem: StepFileProblem, file: string): Finding {
  // A kind of a newer worker still has its text.
  const { code, remedy } = KINDS[problem.kind] ?? { code: 'STEP_LOAD_FAILED', remedy: 'correct the file' };
  return { code, message: problem.message, remedy: missingPackage(problem, file) ?? remedyFor(problem.kind, file) ?? remedy };
}

/** What installs a package that an import names; undefined for files, aliases such as `@/x`, and everything else. */
function missingPackage({ kind, message }: StepFileProblem, file: string): string | undefined {
  if (kind !== 'import') return undefined;
  if (file.endsWith('.py')) {
    const [, module] = /^ModuleNotFoundError: No module named '([A-Za-z_]\w*)'/.exec(message) ?? [];
    return module && `pip install ${module}, in the environment that runs the Steps, or correct the import`;
  }
  const [, name] = /^cannot find "((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:\/[^"]*)?"$/.exec(message) ?? [];
  return name && `npm install ${name}, or correct the import`;
}

function remedyFor(kind: StepFileProblem['kind'], file: string): string | undefined {
  const isPython = file.endsWith('.py');
  if (kind === 'missing_handler' && roleOfFile(file) === 'middleware') return isPython ? PYTHON_MIDDLEWARE : MIDDLEWARE;
  if (kind === 'crash' && roleOfFile(file) === 'setup') return SETUP_CRASH;
  if (kind === 'missing_handler' && roleOfFile(file) === 'setup') return isPython ? PYTHON_SETUP : SETUP;
  if (kind === 'missing_config' && roleOfFile(file) === 'env') return isPython ? 'write "env = {…}", a JSON Schema or a pydantic model' : 'export env(schema) as default';
  if (kind === 'missing_config' && roleOfFile(file) === 'stream') return isPython ? PYTHON_STREAM_CONFIG : STREAM_CONFIG;
  return isPython ? IN_PYTHON[kind] : undefined;
}
