import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const names = new Map<string, string | undefined>();

/** Name of the package that a file belongs to, or undefined when no package.json above it has one. */
export function packageName(file: string): string | undefined {
  return nameFrom(dirname(file));
}

function nameFrom(folder: string): string | undefined {
  if (names.has(folder)) return names.get(folder);
  const parent = dirname(folder);
  // One without a name only tells how the files of its folder are to be read.
  const name = ownName(folder) ?? (parent === folder ? undefined : nameFrom(parent));
  names.set(folder, name);
  return name;
}

function ownName(folder: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined; // absent is the usual case; an unreadable one names nothing either
  }
}
