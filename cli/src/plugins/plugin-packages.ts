import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { upwards } from '../application/application.js';

/** A package that brings commands. */
export interface PluginPackage {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  /** Its package.json. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Where commands of plugins are looked for. */
export interface PluginSearch {
  /** Absolute: folder whose package.json names dependencies, and whose node_modules is looked in first. */
  readonly packageFolder: string;
  /** Absolute: relative entries of `plugins:` start here. */
  readonly folder: string;
  /** Entries of the configuration's `plugins:`. */
  readonly listed: readonly string[];
}

const DEPENDENCY_KEYS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

/**
 * The installed packages with the keyword `treadle-plugin` and an `oclif` section that the application depends on or
 * that its configuration lists, by name. Any other package is left alone.
 */
export function findPluginPackages(search: PluginSearch): readonly PluginPackage[] {
  const names = new Set([...dependencies(search.packageFolder), ...search.listed]);
  const found = new Map<string, PluginPackage>();
  for (const name of names) {
    const plugin = readPlugin(locate(name, search));
    if (plugin && !found.has(plugin.name)) found.set(plugin.name, plugin);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function dependencies(folder: string): readonly string[] {
  const manifest = readManifest(folder);
  return DEPENDENCY_KEYS.flatMap((key) => Object.keys((manifest?.[key] as object | undefined) ?? {}));
}

function locate(name: string, { packageFolder, folder }: PluginSearch): string | undefined {
  if (/^\.{0,2}[\\/]/.test(name)) return resolve(folder, name);
  for (const candidate of upwards(packageFolder)) {
    const inside = join(candidate, 'node_modules', name);
    if (existsSync(join(inside, 'package.json'))) return inside;
  }
  return undefined;
}

function readPlugin(folder: string | undefined): PluginPackage | undefined {
  const manifest = folder === undefined ? undefined : readManifest(folder);
  if (folder === undefined || !manifest || typeof manifest['name'] !== 'string') return undefined;
  const { keywords, oclif, name } = manifest;
  const marked = Array.isArray(keywords) && keywords.includes('treadle-plugin');
  return marked && typeof oclif === 'object' && oclif !== null ? { name, folder, manifest } : undefined;
}

function readManifest(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? value as Record<string, unknown> : undefined;
  } catch {
    // No package there, or not a readable one: then it brings no commands.
    return undefined;
  }
}
