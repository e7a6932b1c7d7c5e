import { builtinModules } from 'node:module';
import { basename, resolve } from 'node:path';

/** Devices on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)/;
const SCOPE = /^@[A-Za-z0-9][A-Za-z0-9._-]*\//;

const MAX_LENGTH = 214;

/** Why a text cannot be a project's name, and what to write instead. */
export interface NameProblem {
  readonly message: string;
  readonly hint: string;
}

/** What a new project is called and where it goes. */
export interface ProjectTarget {
  /** Of the package. */
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
}

/**
 * What is wrong with the name of a new project; undefined when it is good. It is a package name by npm's rules, with or
 * without a scope, or `.` for the working directory.
 */
export function projectNameProblem(given: string): NameProblem | undefined {
  const hint = 'use lower-case letters, digits, "-", "_" and ".", e.g. "my-app"';
  const name = given.replace(SCOPE, '');
  if (given === '.') return undefined;
  if (given === '') return { message: 'the project needs a name', hint: `${hint}, or "." for this folder` };
  if (/[\\/]/.test(name) || name === '.' || name === '..') {
    return { message: `"${given}" is a path, not a name`, hint: 'change to the parent folder and give the name alone, or "." for the folder you are in' };
  }
  if (given.length > MAX_LENGTH) return { message: `the name has ${given.length} characters; at most ${MAX_LENGTH} are allowed`, hint };
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return { message: `${JSON.stringify(given)} cannot be a project name`, hint };
  if (given !== given.toLowerCase()) {
    return { message: `"${given}" has capital letters, which npm refuses`, hint: `did you mean "${given.toLowerCase()}"?` };
  }
  const reason = reserved(name, given);
  return reason === undefined ? undefined : { message: `the name "${given}" is reserved: ${reason}`, hint: `choose another one, e.g. "${given}-app"` };
}

/** The name and folder that a good `given` stands for: `@acme/shop` goes to `shop`, and `.` is called as its folder is. */
export function projectTarget(given: string, cwd: string): ProjectTarget {
  if (given !== '.') return { name: given, folder: resolve(cwd, given.replace(SCOPE, '')) };
  const name = basename(cwd).toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[^a-z0-9]+/, '').slice(0, MAX_LENGTH) || 'my-app';
  return { name: projectNameProblem(name) ? `${name}-app` : name, folder: cwd };
}

/** Why nobody may use a name; one below a scope is in nobody's way but Windows'. */
function reserved(name: string, given: string): string | undefined {
  if (DEVICE.test(name)) return 'Windows has a device of that name';
  if (name !== given) return undefined;
  if (builtinModules.includes(name)) return 'Node.js has a module of that name';
  if (name === 'treadle') return 'the application depends on a package of that name';
  return name === 'node_modules' || name === 'favicon.ico' ? 'npm refuses it' : undefined;
}
