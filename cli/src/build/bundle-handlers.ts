import { join, relative, resolve, sep } from 'node:path';
import { type TreadleError, treadleError } from '@treadle/api';
import { jsConfigFile } from '@treadle/worker';
import type { BuildFailure, BuildResult, Message } from 'esbuild';
import { Failures } from '../failure.js';
import { moduleNames } from './module-names.js';
import { externalPackages, type NeededPackage, REQUIRED } from './packages.js';
import { sourcePlaces, withRoot } from './source-places.js';

/** The oldest Node that runs a build. */
export const NODE_TARGET = '18.0.0';

/** What became of the Steps and streams in TypeScript and JavaScript. */
export interface HandlerBundle {
  /** Content by path relative to the build. */
  readonly outputs: ReadonlyMap<string, string>;
  /** By source, relative to the root: what it is in the build. */
  readonly modules: ReadonlyMap<string, string>;
  /** Sources that went in, relative to the root, sorted. */
  readonly sources: readonly string[];
  /** Packages that are needed at run time, sorted by name. */
  readonly packages: readonly NeededPackage[];
  /** What esbuild warns of. */
  readonly warnings: readonly Message[];
}

/** CommonJS in the application goes on to require packages. */
const BANNER = "import { createRequire as __treadleRequire } from 'node:module'; const require = __treadleRequire(import.meta.url);";

/**
 * Compiles files (relative to `root`, which is absolute) and what they import of the application: one module for each, and
 * chunks for what several of them share, so that it stays one instance.
 * @throws {Failures} of {BUILD_FAILED} with the place of each fault
 */
export async function bundleHandlers(root: string, files: readonly string[]): Promise<HandlerBundle> {
  const modules = moduleNames(files);
  if (files.length === 0) return { outputs: new Map(), modules, sources: [], packages: [], warnings: [] };
  const needed = new Map<string, NeededPackage>();
  const result = await compile(root, modules, needed);
  const outputs = result.outputFiles.map(({ path, text }) => {
    const file = slashes(relative(outdir(root), path));
    return [file, file.endsWith('.map') ? text : withRoot(text, file)] as const;
  });
  return {
    outputs: new Map(outputs.sort(([a], [b]) => (a < b ? -1 : 1))), modules, warnings: result.warnings,
    sources: sourcesOf(Object.keys(result.metafile.inputs)),
    packages: [...needed.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** esbuild names an input once for each form of its import: `data.json` and `data.json with { type: 'json' }`. */
function sourcesOf(inputs: readonly string[]): readonly string[] {
  const files = inputs.map((input) => input.replace(/ with \{[^}]*\}$/, ''));
  return [...new Set(files)].filter((file) => !file.includes('node_modules/') && !file.startsWith(`${REQUIRED}:`)).sort();
}

type Compiled = BuildResult<{ write: false; metafile: true }>;

async function compile(root: string, modules: ReadonlyMap<string, string>, needed: Map<string, NeededPackage>): Promise<Compiled> {
  const { build } = await import('esbuild');
  // esbuild looks for tsconfig.json by itself.
  const tsconfig = jsConfigFile(root);
  const entryPoints = [...modules].map(([file, module]) => ({ in: join(root, file), out: module.slice(0, -'.mjs'.length) }));
  try {
    return await build({
      ...tsconfig === undefined ? {} : { tsconfig }, entryPoints, absWorkingDir: root, outdir: outdir(root), outExtension: { '.js': '.mjs' }, chunkNames: 'chunks/[name]-[hash]',
      bundle: true, splitting: true, format: 'esm', platform: 'node', target: `node${NODE_TARGET}`, keepNames: true, charset: 'utf8',
      sourcemap: 'linked', sourcesContent: false, banner: { js: BANNER }, legalComments: 'inline', logLevel: 'silent', metafile: true, write: false,
      plugins: [externalPackages(root, needed), sourcePlaces(root)],
    });
  } catch (error) {
    throw failures(error);
  }
}

/** Not written to; the paths in source maps are relative to it. */
const outdir = (root: string): string => resolve(root, 'dist');
const slashes = (path: string): string => path.split(sep).join('/');

function failures(error: unknown): unknown {
  const { errors } = error as Partial<BuildFailure>;
  if (!errors || errors.length === 0) return error;
  return new Failures(errors.map(({ text, location }): TreadleError => treadleError('BUILD_FAILED', { reason: text }, {
    cause: error, ...(location ? { at: { file: location.file, line: location.line, column: location.column + 1 } } : {}),
  })));
}
