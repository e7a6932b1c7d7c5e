import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApplicationEntry, entriesOfApplication, isSearched, isStepFile } from './discover.js';

/** Something that looks like a part of the application and is none. */
export interface Overlooked {
  /** Relative to the root, with slashes. */
  readonly file: string;
  /** `name`: a Step file but for its name. `link`: a link to a folder, which is not followed. */
  readonly kind: 'name' | 'link';
  /** The name that would count. */
  readonly meant?: string | undefined;
}

const NEAR_MISS = /^(.+)[._](steps?|streams?|stream[-_]auth|middlewares?|setups?)\.([cm]?[jt]sx?|py)$/i;
/** A file that merely has such a name says none of these. */
const DECLARES = /\b(?:triggers|handler|authenticate|schema|setup|open)\b|\bnext\(/;
const ROLES: Readonly<Record<string, string>> = {
  step: 'step', steps: 'step', stream: 'stream', streams: 'stream', 'stream-auth': 'stream-auth', stream_auth: 'stream-auth', middleware: 'middleware',
  middlewares: 'middleware', setup: 'setup', setups: 'setup',
};

/** Finds what lies in `steps` and `src` and is left out although somebody may have meant it to count; sorted by path. */
export async function findOverlooked(root: string): Promise<readonly Overlooked[]> {
  const found = await Promise.all((await entriesOfApplication(root)).map((each) => overlooked(root, each)));
  return found.filter((each) => each !== undefined).sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function overlooked(root: string, { path, entry }: ApplicationEntry): Promise<Overlooked | undefined> {
  if (entry.isSymbolicLink() && isSearched(entry.name) && await isFolder(join(root, path))) return { file: path, kind: 'link' };
  const meant = isStepFile(entry.name) ? undefined : meantName(entry.name);
  if (meant === undefined) return undefined;
  const text = await readFile(join(root, path), 'utf8').catch(() => ''); // gone meanwhile: nothing to tell
  return DECLARES.test(text) ? { file: path, kind: 'name', meant } : undefined;
}

function meantName(name: string): string | undefined {
  const [, stem, word = '', extension = ''] = NEAR_MISS.exec(name) ?? [];
  const role = ROLES[word.toLowerCase()];
  if (stem === undefined || role === undefined) return undefined;
  return extension.toLowerCase() === 'py' ? `${stem}_${role.replace('-', '_')}.py` : `${stem}.${role}.${scriptExtension(role, extension.toLowerCase())}`;
}

/** Declarations of streams are `.ts` or `.js`; Steps may say which module system they use, but not in TypeScript's CommonJS. */
function scriptExtension(role: string, extension: string): string {
  const plain = extension.replace('x', '');
  if (role === 'step' && plain !== 'cts') return plain;
  return plain.slice(-2);
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then((found) => found.isDirectory(), () => false); // a link that leads nowhere is none
}
