import type { Rewritten, TextNote } from './migration.js';

type Names = Record<string, string>;

interface Manifest {
  scripts?: Names;
  dependencies?: Names;
  devDependencies?: Names;
}

/** Commands of the family's tools, each with ours; an empty one is done by nobody, for there is nothing to do. */
const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:npx |bunx |pnpm exec |yarn )?motia (?:dev|rules pull)\b/, 'treadle dev'],
  [/^(?:npx |bunx |pnpm exec |yarn )?motia start\b/, 'treadle start'],
  [/^(?:npx |bunx |pnpm exec |yarn )?motia build\b/, 'treadle build'],
  [/^(?:npx |bunx |pnpm exec |yarn )?motia (?:generate-types|typegen)\b/, 'treadle generate types'],
  [/^(?:npx |bunx |pnpm exec |yarn )?motia (?:install|cloud|docker setup)\b.*/, ''],
  [/^iii(?: start| engine)?(?=$| -)/, 'treadle dev'],
];
const FAMILY = /^(?:motia|@motiadev\/.+|iii-sdk|@iii-dev\/.+)$/;

/**
 * `package.json` with this runtime's scripts and packages. `version` is the range that the packages get. A file that is no JSON,
 * or has nothing of the family, stays as it is.
 */
export function migrateManifest(text: string, version: string): Rewritten {
  const manifest = parse(text);
  if (manifest === undefined || !hasFamily(manifest)) return { text, notes: [] };
  const notes: TextNote[] = [];
  const dependencies = without(manifest.dependencies);
  const devDependencies = without(manifest.devDependencies);
  const next: Manifest = {
    ...manifest,
    ...(manifest.scripts && { scripts: migrateScripts(manifest.scripts, text, notes) }),
    dependencies: sorted({ ...dependencies, '@treadle/cli': version, '@treadle/engine': version, treadle: version }),
    ...(manifest.devDependencies && { devDependencies }),
  };
  const indent = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? '  ';
  return { text: JSON.stringify(next, null, indent) + (text.endsWith('\n') ? '\n' : ''), notes };
}

function parse(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // The package manager says what is wrong with it.
    return undefined;
  }
}

function hasFamily({ scripts, dependencies, devDependencies }: Manifest): boolean {
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  return packages.some((name) => FAMILY.test(name)) || Object.values(scripts ?? {}).some((script) => /\bmotia\b|^iii\b/.test(script));
}

function without(names: Names | undefined): Names {
  return Object.fromEntries(Object.entries(names ?? {}).filter(([name]) => !FAMILY.test(name)));
}

function sorted(names: Names): Names {
  return Object.fromEntries(Object.entries(names).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function migrateScripts(scripts: Names, text: string, notes: TextNote[]): Names {
  const next: Names = {};
  for (const [name, script] of Object.entries(scripts)) {
    const parts = script.split(/\s*&&\s*/).map(command).filter((part) => part !== '');
    if (parts.length === 0) continue;
    next[name] = parts.join(' && ');
    if (/(?:^|[\s/])(?:motia|iii)(?=\s)/.test(next[name])) {
      const line = text.split('\n').findIndex((one) => one.includes(JSON.stringify(name))) + 1;
      notes.push({ line: Math.max(1, line), reason: `the script "${name}" calls a command of the other runtime`, remedy: '"npx treadle --help" lists the commands here' });
    }
  }
  return next;
}

function command(part: string): string {
  for (const [pattern, own] of COMMANDS) {
    if (!pattern.test(part)) continue;
    const rest = part.replace(pattern, own).replace(/\s--(?:verbose|debug|mermaid)\b/g, '').replace(/\s--config(?=\s)/, ' --config').trim();
    return own === '' ? '' : /--config\S*\s+\S*prod/.test(rest) ? rest.replace('treadle dev', 'treadle start') : rest;
  }
  return part;
}
