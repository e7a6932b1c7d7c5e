import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import type { Plugin, PluginBuild } from 'esbuild';
import { nearestWith } from '../application/application.js';

/** A package that the build imports at run time. */
export interface NeededPackage {
  readonly name: string;
  /** The installed version; undefined when it is not installed. */
  readonly version?: string | undefined;
  /** A file that imports it, relative to the root. */
  readonly importer: string;
  /** A production installation of the application brings it. */
  readonly isDependency: boolean;
  /** From the application's root the same installation is found as from the file that imports it. */
  readonly isReachable: boolean;
}

const BUILTINS = new Set(builtinModules);
/** Ours stay packages also where they are linked into a workspace. */
const OWN = /^(?:treadle$|@treadle\/)/;
const SKIP = { treadleResolving: true };
/** Modules that CommonJS of the application requires: they are imported before it runs. */
export const REQUIRED = 'treadle-required';

/**
 * Leaves packages to be found in `node_modules` at run time, native ones above all, and notes which. What lies outside of
 * `node_modules`, such as the sources of a package of the same workspace, becomes a part of the build. An ES module that
 * CommonJS requires is imported: older Nodes cannot require it, newer ones not while it is being imported elsewhere.
 */
export function externalPackages(root: string, needed: Map<string, NeededPackage>): Plugin {
  return {
    name: 'treadle-packages',
    setup(build) {
      build.onLoad({ filter: /.*/, namespace: REQUIRED }, ({ path }) => ({ contents: `import * as all from ${JSON.stringify(path)}; module.exports = all;` }));
      build.onResolve({ filter: /^[^./#]/ }, async ({ path, importer, namespace, resolveDir, kind, pluginData }) => {
        if (namespace === REQUIRED) return { path, external: true };
        if (kind === 'entry-point' || pluginData === SKIP || /^[A-Za-z]:[\\/]/.test(path)) return undefined;
        if (path.startsWith('node:') || BUILTINS.has(path.split('/', 1)[0] ?? '') || /^(?:data|https?):/.test(path)) return { path, external: true };
        const found = await resolvedPath(build, path, resolveDir, kind);
        const name = packageName(path);
        const isPackage = found === undefined || found.includes(`${sep}node_modules${sep}`) || OWN.test(name);
        if (!isPackage || found?.endsWith('.json')) return undefined;
        const known = needed.get(name);
        if (!known || known.isReachable) needed.set(name, await describe({ build, root, name, path, found, importer, kind }));
        const isModule = kind === 'require-call' && found !== undefined && isEsModule(found);
        return isModule ? { path, namespace: REQUIRED } : { path, external: true };
      });
    },
  };
}

interface Import extends Pick<NeededPackage, 'name' | 'importer'> {
  readonly build: PluginBuild;
  readonly root: string;
  readonly path: string;
  readonly found: string | undefined;
  readonly kind: Parameters<PluginBuild['resolve']>[1] extends infer Options | undefined ? Options extends { kind?: infer Kind } ? Kind : never : never;
}

async function describe({ build, root, name, path, found, importer, kind }: Import): Promise<NeededPackage> {
  const fromRoot = await resolvedPath(build, path, root, kind);
  return {
    name, version: found === undefined ? undefined : versionOf(found, name), importer: relative(root, importer).split(sep).join('/'),
    isDependency: dependsOn(root, name) || dependsOn(dirname(importer), name), isReachable: fromRoot === found,
  };
}

async function resolvedPath(build: PluginBuild, path: string, resolveDir: string, kind: Import['kind']): Promise<string | undefined> {
  const { path: found, errors } = await build.resolve(path, { resolveDir, kind: kind ?? 'import-statement', pluginData: SKIP });
  return errors.length === 0 && found !== '' ? found : undefined;
}

/** The name in a specifier: `@a/b/c` is of `@a/b`. */
function packageName(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

function isEsModule(file: string): boolean {
  if (!file.endsWith('.js')) return file.endsWith('.mjs');
  const home = nearestWith(dirname(file), 'package.json');
  return home !== undefined && (JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { type?: unknown }).type === 'module';
}

function versionOf(file: string, name: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (!existsSync(manifest)) continue;
    const { name: own, version } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string; version?: string };
    if (own === name) return version;
  }
  return undefined;
}

/** Packages of a production installation: everything but `devDependencies`. */
function dependsOn(folder: string, name: string): boolean {
  const home = nearestWith(folder, 'package.json');
  if (home === undefined) return true; // nobody says what is installed there
  try {
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
    return ['dependencies', 'optionalDependencies', 'peerDependencies'].some((kind) => manifest[kind]?.[name] !== undefined);
  } catch {
    return true; // unreadable: the package manager will say so
  }
}
