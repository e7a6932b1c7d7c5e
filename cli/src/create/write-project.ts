import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { treadleError } from '@treadle/api';
import { CLI_ROOT, CLI_VERSION } from '../version.js';

/** What to write and where. */
export interface NewProject {
  readonly name: string;
  /** Absolute; does not exist or is empty. */
  readonly folder: string;
  /** Folder in `templates/`. */
  readonly template: string;
}

/** npm leaves these out of a package under their own name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/**
 * Writes the template's files and the editor schema of this version; returns their names, sorted. Offline.
 * @throws {USAGE} when the folder exists and is not empty
 * @throws {FILE_NOT_WRITABLE} when writing fails; what was written has been removed then
 */
export async function writeProject({ name, folder, template }: NewProject): Promise<readonly string[]> {
  await requireEmpty(folder);
  const existed = existsSync(folder);
  const contents = new Map([...await readTemplate(template, name), ...await editorSchema()]);
  try {
    for (const [file, text] of contents) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text, { flag: 'wx' });
    }
  } catch (error) {
    if (!existed) await rm(folder, { recursive: true, force: true });
    throw treadleError('FILE_NOT_WRITABLE', { file: folder, reason: (error as Error).message }, { cause: error });
  }
  return [...contents.keys()].sort();
}

async function requireEmpty(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR') throw treadleError('FILE_NOT_WRITABLE', { file: folder, reason: (error as Error).message }, { cause: error });
    throw treadleError('USAGE', { message: `"${folder}" is a file`, hint: 'choose another name' }, { cause: error });
  }
  throw treadleError('USAGE', { message: `folder "${folder}" is not empty`, hint: 'choose another name or empty it' });
}

async function readTemplate(template: string, name: string): Promise<ReadonlyMap<string, string>> {
  const source = join(CLI_ROOT, 'templates', template);
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
  const texts = await Promise.all(files.map(async (file): Promise<[string, string]> => {
    const target = file.slice(source.length + 1).replaceAll('\\', '/');
    return [RENAMED[target] ?? target, fill(await readFile(file, 'utf8'), name)];
  }));
  return new Map(texts);
}

function fill(text: string, name: string): string {
  return text.replaceAll('{{name}}', name).replaceAll('{{version}}', CLI_VERSION);
}

/** The schema that the template's YAML names, as this version ships it. */
async function editorSchema(): Promise<ReadonlyMap<string, string>> {
  const config = dirname(createRequire(import.meta.url).resolve('@treadle/config/package.json'));
  return new Map([['treadle.schema.json', await readFile(join(config, 'schema', 'treadle.schema.json'), 'utf8')]]);
}
