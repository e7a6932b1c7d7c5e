import { builtinModules } from 'node:module';

/** Names that npm or the application's own dependencies have taken. */
const RESERVED: readonly string[] = [...builtinModules, 'node_modules', 'favicon.ico', 'treadle'];
/** Devices on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)/;

const MAX_LENGTH = 214;

/** Why a text cannot be a project's name, and what to write instead. */
export interface NameProblem {
  readonly message: string;
  readonly hint: string;
}

/**
 * What is wrong with the name of a new project; undefined when it is good. The name becomes the folder's and the
 * package's: one path segment by npm's rules.
 */
export function projectNameProblem(name: string): NameProblem | undefined {
  const hint = 'use lower-case letters, digits, "-", "_" and ".", e.g. "my-app"';
  if (name === '') return { message: 'the project needs a name', hint };
  if (/[\\/]/.test(name) || name === '.' || name === '..') {
    return { message: `"${name}" is a path, not a name`, hint: 'change to the parent folder and give the name alone' };
  }
  if (name.length > MAX_LENGTH) return { message: `the name has ${name.length} characters; at most ${MAX_LENGTH} are allowed`, hint };
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return { message: `${JSON.stringify(name)} cannot be a project name`, hint };
  if (name !== name.toLowerCase()) {
    return { message: `"${name}" has capital letters, which npm refuses`, hint: `did you mean "${name.toLowerCase()}"?` };
  }
  if (RESERVED.includes(name) || DEVICE.test(name)) {
    return { message: `the name "${name}" is reserved`, hint: `choose another one, e.g. "${name}-app"` };
  }
  return undefined;
}
