import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLI_ROOT } from '../version.js';

/** npm leaves these out of a package under their own name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** Path in the project → text. */
export type ProjectFiles = ReadonlyMap<string, string>;

const WRITTEN = join(CLI_ROOT, 'templates');
/** Where the build puts what it makes of other templates. */
const MADE = join(CLI_ROOT, 'dist/templates');
/** Folders of what all templates of a language have in common. */
const OF_LANGUAGE: Readonly<Record<string, readonly string[]>> = { ts: ['node', 'ts'], js: ['node'], py: ['py'] };

/**
 * The files of a template in a language, from folders of which a later one goes before: `common`, the template's, the
 * language's, that of both (`basic-ts`). The parts of `package.json` are merged.
 * @param values texts for placeholders: `{{name}}`
 */
export async function templateFiles(template: string, language: string, values: Readonly<Record<string, string>>): Promise<ProjectFiles> {
  const files = new Map<string, string>();
  const shared = ['common', template, ...OF_LANGUAGE[language] ?? []].map((layer) => join(WRITTEN, layer));
  for (const folder of [...shared, join(language === 'js' ? MADE : WRITTEN, `${template}-${language}`)]) {
    for (const [file, text] of await filesOf(folder)) {
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

/** In the order that people know from other projects. */
const MEMBERS = ['name', 'version', 'private', 'type', 'scripts', 'dependencies', 'devDependencies', 'engines', 'allowScripts'];

/** What the second says goes before; dependencies are sorted, as npm writes them. */
function mergeManifests(first: string, second: string): string {
  const [before, after] = [JSON.parse(first) as Manifest, JSON.parse(second) as Manifest];
  const keys = Object.keys({ ...before, ...after }).sort((a, b) => MEMBERS.indexOf(a) - MEMBERS.indexOf(b));
  const merged = keys.map((key) => [key, mergedMember(key, before[key], after[key])] as const);
  return `${JSON.stringify(Object.fromEntries(merged), null, 2)}\n`;
}

function mergedMember(key: string, before: unknown, after: unknown): unknown {
  if (typeof (before ?? after) !== 'object') return after ?? before;
  const members = { ...before as Manifest | undefined, ...after as Manifest | undefined };
  return key.endsWith('ependencies') ? Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))) : members;
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, key: string) => values[key] ?? placeholder);
}
