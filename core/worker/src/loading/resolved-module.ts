import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What the first of these packages exports that the folder of `file` resolves: a schema library of the Step's own version. */
export async function resolvedModule(file: string, names: readonly string[], wanted: string): Promise<unknown> {
  const require = createRequire(file);
  for (const name of names) {
    try {
      const module = (await import(pathToFileURL(require.resolve(name)).href)) as Record<string, unknown> & { default?: Record<string, unknown> };
      const found = module[wanted] ?? module.default?.[wanted];
      if (found !== undefined) return found;
    } catch {
      // Not installed under this name; the next one, else the schema stays open.
    }
  }
  return undefined;
}
