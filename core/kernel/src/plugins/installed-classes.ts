import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { upwards } from './lookup.js';

/** A package that would provide a class. */
export interface InstalledProvider {
  readonly name: string;
  readonly version: string;
}

/** Classes of installed plugins, listed or not; read from their manifests when somebody asks. */
export class InstalledClasses {
  private providers: ReadonlyMap<string, InstalledProvider> | undefined;

  /** Looks in every node_modules upwards from the folder. */
  constructor(private readonly folder: string) {}

  providerOf(classId: string): InstalledProvider | undefined {
    this.providers ??= scan(this.folder);
    return this.providers.get(classId);
  }
}

function scan(folder: string): ReadonlyMap<string, InstalledProvider> {
  const found = new Map<string, InstalledProvider>();
  for (const place of upwards(folder)) {
    for (const candidate of packagesIn(join(place, 'node_modules'))) readProvides(candidate, found);
  }
  return found;
}

function packagesIn(folder: string): readonly string[] {
  return foldersIn(folder).flatMap((name) => (name.startsWith('@')
    ? foldersIn(join(folder, name)).map((inner) => join(folder, name, inner))
    : [join(folder, name)]));
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    // No such folder, or not ours to read: nothing is installed there for us.
    return [];
  }
}

/** The nearest package wins, as it would when it is loaded. */
function readProvides(folder: string, found: Map<string, InstalledProvider>): void {
  let text: string;
  try {
    text = readFileSync(join(folder, 'package.json'), 'utf8');
  } catch {
    // Not a package. This is only about a hint.
    return;
  }
  if (!text.includes('"treadle"')) return;
  for (const [id, provider] of providesOf(text)) if (!found.has(id)) found.set(id, provider);
}

function providesOf(text: string): readonly (readonly [string, InstalledProvider])[] {
  try {
    const { name, version, treadle } = JSON.parse(text) as {
      name?: unknown; version?: unknown; treadle?: { provides?: unknown };
    };
    const provides = treadle?.provides;
    if (typeof name !== 'string' || typeof version !== 'string' || !Array.isArray(provides)) return [];
    return provides.filter((id) => typeof id === 'string').map((id) => [id, { name, version }] as const);
  } catch {
    // A broken manifest is reported when the package is listed; here it only gives no hint.
    return [];
  }
}
