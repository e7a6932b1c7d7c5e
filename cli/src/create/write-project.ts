import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { treadleError } from '@treadle/api';
import { installCommand, packageProgram, scriptRunner, type PackageManager } from '../application/package-manager.js';
import { Made } from '../files/made.js';
import { requireNoLink } from '../files/require-no-link.js';
import { CLI_VERSION } from '../version.js';
import type { Language, Template } from './choices.js';
import { templateFiles, type ProjectFiles } from './template-files.js';

/** What to write and where. */
export interface NewProject {
  readonly name: string;
  /** Absolute; does not exist, or holds nothing but what a new repository holds. */
  readonly folder: string;
  readonly language: Language;
  readonly template: Template;
  readonly packageManager: PackageManager;
}

/** Names, sorted. */
export interface WrittenProject {
  readonly files: readonly string[];
  /** Files of the template that were there before. */
  readonly kept: readonly string[];
}

/** The file that a template's YAML names for editors. */
const SCHEMA = 'treadle.schema.json';
const IGNORED = '.gitignore';
/** What a folder may hold that a repository was cloned into, or that an editor has opened. */
const HARMLESS = /^(?:\.git|\.gitignore|\.gitattributes|\.github|\.gitlab-ci\.yml|\.editorconfig|\.idea|\.vscode|\.DS_Store|(?:readme|licen[cs]e|notice|changelog|contributing)(?:\.\w+)?)$/i;

/**
 * Writes the template's files and, beside a `config.yaml`, the editor schema of this version. Files that are there stay;
 * `.gitignore` gets the lines that it lacks. Offline.
 * @throws {USAGE} when the folder holds more than a new repository does, or is a link
 * @throws {FILE_NOT_WRITABLE} when writing fails; what was written has been removed then
 */
export async function writeProject(project: NewProject): Promise<WrittenProject> {
  const { folder } = project;
  await requireNoLink(folder);
  await requireRoom(folder);
  const contents = await projectContents(project);
  const present = [...contents.keys()].filter((file) => existsSync(join(folder, file)));
  const missing = [...contents].filter(([file]) => !present.includes(file));
  const made = new Made();
  try {
    for (const [file, text] of missing) await made.write(join(folder, file), text);
    if (present.includes(IGNORED)) await addLines(join(folder, IGNORED), contents.get(IGNORED) ?? '');
  } catch (error) {
    await made.takeBack();
    throw treadleError('FILE_NOT_WRITABLE', { file: folder, reason: (error as Error).message }, { cause: error });
  }
  return { files: missing.map(([file]) => file).sort(), kept: present.filter((file) => file !== IGNORED).sort() };
}

async function projectContents({ name, language, template, packageManager }: NewProject): Promise<ProjectFiles> {
  const { suffix, requirements } = language;
  const files = await templateFiles(template.id, language.id, {
    name, version: CLI_VERSION, suffix, requirements,
    manager: packageManager, install: installCommand(packageManager).join(' '),
    run: scriptRunner(packageManager), exec: packageProgram(packageManager),
  });
  return new Map([
    ...files, ...files.has('config.yaml') ? [[SCHEMA, await editorSchema()] as const] : [],
    // Steps are loaded from files that are there; newer yarn would keep packages in archives.
    ...packageManager === 'yarn' ? [['.yarnrc.yml', 'nodeLinker: node-modules\n'] as const] : [],
  ]);
}

async function addLines(file: string, text: string): Promise<void> {
  const before = await readFile(file, 'utf8');
  const known = before.split(/\r?\n/);
  const lines = text.split('\n').filter((line) => line !== '' && !known.includes(line));
  if (lines.length > 0) await writeFile(file, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${lines.join('\n')}\n`);
}

async function requireRoom(folder: string): Promise<void> {
  const foreign = (await namesIn(folder)).find((name) => !HARMLESS.test(name));
  if (foreign === undefined) return;
  throw treadleError('USAGE', { message: `folder "${folder}" is not empty: it has "${foreign}"`, hint: 'choose another name or empty it' });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code !== 'ENOTDIR') throw treadleError('FILE_NOT_WRITABLE', { file: folder, reason: (error as Error).message }, { cause: error });
    throw treadleError('USAGE', { message: `"${folder}" is a file`, hint: 'choose another name' }, { cause: error });
  }
}

async function editorSchema(): Promise<string> {
  const config = dirname(createRequire(import.meta.url).resolve('@treadle/config/package.json'));
  return readFile(join(config, 'schema', SCHEMA), 'utf8');
}
