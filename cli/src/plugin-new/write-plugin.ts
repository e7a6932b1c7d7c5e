import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { treadleError } from '@treadle/api';
import { requireNoLink } from '../files/require-no-link.js';
import { writeNew } from '../files/write-new.js';
import { CLI_ROOT, CLI_VERSION } from '../version.js';
import { SLOT_MODULES, type PluginNames } from './plugin-names.js';

/** What every package has, what a kind of class has, and what a slot needs, in folders of their own. */
const TEMPLATES = join(CLI_ROOT, 'plugin-template');

/**
 * Writes a plugin package into a new folder; returns the names of its files, sorted. Offline. `folder` is absolute.
 * @throws {USAGE} when the folder exists and is not empty, or is a link
 * @throws {FILE_NOT_WRITABLE}
 */
export async function writePlugin(folder: string, names: PluginNames): Promise<readonly string[]> {
  await requireNoLink(folder);
  if (existsSync(folder) && (await readdir(folder).catch(() => ['a file'])).length > 0) {
    throw treadleError('USAGE', { message: `"${basename(folder)}" exists already and is not empty`, hint: 'choose another name or empty it' });
  }
  const contents = await readTemplate(names);
  await writeNew(folder, contents);
  return Object.keys(contents).sort();
}

async function readTemplate(names: PluginNames): Promise<Readonly<Record<string, string>>> {
  const folders = ['common', names.kind, ...names.slot ? [names.slot] : []].map((folder) => join(TEMPLATES, folder));
  return Object.assign({}, ...await Promise.all(folders.map((folder) => readFolder(folder, names)))) as Readonly<Record<string, string>>;
}

async function readFolder(folder: string, names: PluginNames): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
  const texts = await Promise.all(files.map(async (file): Promise<[string, string]> => {
    const target = fill(file.slice(folder.length + 1).replaceAll('\\', '/'), names);
    return [fileName(target), fill(await readFile(file, 'utf8'), names)];
  }));
  return Object.fromEntries(texts);
}

/** npm leaves a .gitignore out of a package; sources with gaps are none for our own tools. */
function fileName(template: string): string {
  return template === 'gitignore' ? '.gitignore' : template.replace(/\.template$/, '');
}

function fill(text: string, names: PluginNames): string {
  const values: Readonly<Record<string, string>> = { ...names, version: CLI_VERSION, ...names.slot && { module: SLOT_MODULES[names.slot] } };
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}
