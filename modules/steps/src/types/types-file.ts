import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirname, relative } from 'node:path/posix';
import type { StepRecord } from '@treadle/api';
import { discoverStepFiles, isNodeStep, roleOfFile } from '@treadle/worker/discover';
import { setupName } from '@treadle/worker/setup-name';
import { type TypedFiles, typesText } from './types-text.js';

const NAME = 'treadle-types.d.ts';

/** Where the types of an application are, relative to its root: beside its Steps, where its tsconfig.json looks. */
export function typesFile(root: string): string {
  return existsSync(join(root, 'steps')) ? `steps/${NAME}` : `src/${NAME}`;
}

/**
 * Writes the types of a catalog, unless the file holds them already. Readers see the old or the new text, never half.
 * `root` is absolute. Returns whether something was written.
 * @throws an `ErrnoException` when the file cannot be written
 */
export async function writeTypes(root: string, records: readonly StepRecord[]): Promise<boolean> {
  const file = join(root, typesFile(root));
  const text = typesText(records, await typedFiles(root));
  if (await textOf(file) === text) return false;
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return true;
}

async function typedFiles(root: string): Promise<TypedFiles> {
  const files = (await discoverStepFiles(root)).map(({ file }) => file).filter(isNodeStep);
  const folder = dirname(typesFile(root));
  const imported = (file: string): string => {
    const path = relative(folder, file).replace(/ts$/, 'js');
    return path.startsWith('.') ? path : `./${path}`;
  };
  const of = (role: string): readonly string[] => files.filter((file) => roleOfFile(file) === role);
  return { setups: new Map([...of('setup')].reverse().map((file) => [setupName(file), imported(file)])), envs: of('env').map(imported) };
}

/** Undefined when there is no such file. */
async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
