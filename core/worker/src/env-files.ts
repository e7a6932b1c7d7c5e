import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as util from 'node:util';

/** A file of variables that cannot be read. */
export class EnvFileError extends Error {
  constructor(readonly file: string, readonly reason: string) {
    super(`"${file}" cannot be read: ${reason}`);
  }
}

/** Variables of an environment, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Of Node.js 20.12 and later. */
const { parseEnv } = util as unknown as { readonly parseEnv?: (text: string) => Variables };

/** The mode of commands and processes that are told none. */
export function envMode(env: Variables, byDefault: string): string {
  return env['NODE_ENV'] || byDefault;
}

/**
 * What the files `.env`, `.env.<mode>`, `.env.local` and `.env.<mode>.local` of a folder say; the later one wins. `.env.local` is of one machine, so
 * tests, whose mode is `test`, leave it out. A file that is not there says nothing.
 * @throws EnvFileError naming a file that cannot be read
 */
export function readEnvFiles(folder: string, mode: string): Variables {
  const names = ['.env', `.env.${mode}`, ...(mode === 'test' ? [] : ['.env.local']), `.env.${mode}.local`];
  return Object.assign({}, ...names.map((name) => readEnvFile(join(folder, name)))) as Variables;
}

/** An environment with what files say of variables that it does not set. */
export function withEnvFiles(env: Variables, folder: string, mode: string): Variables {
  return { ...readEnvFiles(folder, mode), ...env };
}

function readEnvFile(file: string): Variables {
  const text = textOf(file);
  if (text === undefined) return {};
  if (!parseEnv) throw new EnvFileError(file, `that needs Node.js 20.12 or later; this is ${process.version}`);
  return parseEnv(text);
}

/** Undefined when there is no such file. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // `.env` may be a folder, such as of a virtual environment of Python.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw new EnvFileError(file, message);
  }
}
