import { readFile } from 'node:fs/promises';
/** Where a config begins, in the order of preference. */
const FORMS = [
  /^[ \t]*export\s+const\s+config\b/m,
  /^[ \t]*export\s+const\s*\{[^}]*\bconfig\b/m,
  /^[ \t]*export\s+(?:async\s+)?(?:const|let|function)\s+authenticate\b/m,
  /^[ \t]*export\s+default\b/m,
  /^[ \t]*(?:module\.)?exports\b/m,
  /^[ \t]*(?:const|let|var)\s+config\b/m,
];

/** Line of a Step's config in its source, from 1; undefined when it is written in no usual way. */
export function configLine(source: string): number | undefined {
  for (const form of FORMS) {
    const match = form.exec(source);
    if (match) return source.slice(0, match.index).split('\n').length;
  }
  return undefined;
}

/** The same of a file by its path; undefined also for one that is not there any more. */
export async function configLineOf(path: string): Promise<number | undefined> {
  return configLine(await readFile(path, 'utf8').catch(() => ''));
}
