import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLI_ROOT } from '../version.js';

/** npm leaves these out of a package under their own name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** Path in the project → text. */
export type ProjectFiles = ReadonlyMap<string, string>;

/**
 * The files of a template in a language, from four folders of `templates/`, of which a later one goes before: `common`,
 * the template's, the language's, that of both (`basic-ts`). The parts of `package.json` are merged.
 * @param values texts for placeholders: `{{name}}`
 */
export async function templateFiles(template: string, language: string, values: Readonly<Record<string, string>>): Promise<ProjectFiles> {
  const files = new Map<string, string>();
  for (const layer of ['common', template, language, `${template}-${language}`]) {
    for (const [file, text] of await filesOf(join(CLI_ROOT, 'templates', layer))) {
      const before = files.get(file);
      files.set(file, before !== undefined && file === 'package.json' ? mergeManifests(before, text) : text);
    }
  }
  return new Map([...files].map(([file, text]) => [file, fill(text, values)]));
}

async function filesOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
  return Promise.all(files.map(async (file) => {
    const target = file.slice(folder.length + 1).replaceAll('\\', '/');
    return [RENAMED[target] ?? target, await readFile(file, 'utf8')] as const;
  }));
}

type Manifest = Readonly<Record<string, unknown>>;

/** The language's manifest decides on the order of members; dependencies are sorted, as npm writes them. */
function mergeManifests(first: string, second: string): string {
  const [template, language] = [JSON.parse(first) as Manifest, JSON.parse(second) as Manifest];
  const merged: Record<string, unknown> = { ...language };
  for (const [key, value] of Object.entries(template)) {
    const members = { ...value as Manifest, ...language[key] as Manifest | undefined };
    merged[key] = Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return `${JSON.stringify(merged, null, 2)}\n`;
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, key: string) => values[key] ?? placeholder);
}
