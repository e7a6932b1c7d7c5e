import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { treadleError } from '@treadle/api';
import { requireNoLink } from '../files/require-no-link.js';
import { CLI_VERSION } from '../version.js';
import type { Language, Template } from './choices.js';
import { templateFiles, type ProjectFiles } from './template-files.js';

/** What to write and where. */
export interface NewProject {
  readonly name: string;
  /** Absolute; does not exist or is empty. */
  readonly folder: string;
  readonly language: Language;
  readonly template: Template;
}

/** The file that a template's YAML names for editors. */
const SCHEMA = 'treadle.schema.json';

/**
 * Writes the template's files and, beside a `config.yaml`, the editor schema of this version; returns their names,
 * sorted. Offline.
 * @throws {USAGE} when the folder exists and is not empty, or is a link
 * @throws {FILE_NOT_WRITABLE} when writing fails; what was written has been removed then
 */
export async function writeProject({ name, folder, language, template }: NewProject): Promise<readonly string[]> {
  await requireNoLink(folder);
  await requireEmpty(folder);
  const { suffix, requirements } = language;
  const files = await templateFiles(template.id, language.id, { name, version: CLI_VERSION, suffix, requirements });
  const contents = files.has('config.yaml') ? new Map([...files, [SCHEMA, await editorSchema()]]) : files;
  const existed = existsSync(folder);
  try {
    await writeFiles(folder, contents);
  } catch (error) {
    await removeWritten(folder, existed, contents);
    throw treadleError('FILE_NOT_WRITABLE', { file: folder, reason: (error as Error).message }, { cause: error });
  }
  return [...contents.keys()].sort();
}

async function writeFiles(folder: string, contents: ProjectFiles): Promise<void> {
  for (const [file, text] of contents) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text, { flag: 'wx' });
  }
}

/** A folder that was there stays, empty as it was. */
async function removeWritten(folder: string, existed: boolean, contents: ProjectFiles): Promise<void> {
  const tops = new Set([...contents.keys()].map((file) => file.split('/', 1)[0] ?? file));
  const targets = existed ? [...tops].map((top) => join(folder, top)) : [folder];
  for (const target of targets) await rm(target, { recursive: true, force: true });
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

async function editorSchema(): Promise<string> {
  const config = dirname(createRequire(import.meta.url).resolve('@treadle/config/package.json'));
  return readFile(join(config, 'schema', SCHEMA), 'utf8');
}
