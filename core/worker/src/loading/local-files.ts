import { readFileSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { compileFunction } from 'node:vm';

/** Extensions tried for a specifier without one, and for `index` files. */
const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'];
/** TypeScript names its files after what they would be compiled to. */
const SOURCES: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts' };

/** The file that a path without regard to extensions means, or undefined. */
export function probe(path: string): string | undefined {
  if (isFile(path)) return path;
  const extension = extname(path);
  const source = SOURCES[extension];
  if (source) {
    const file = path.slice(0, -extension.length) + source;
    if (isFile(file)) return file;
  }
  return firstFile(EXTENSIONS.map((each) => path + each)) ?? firstFile(EXTENSIONS.map((each) => join(path, `index${each}`)));
}

/** How Node has to treat a local file, or undefined for a kind that is none of ours. */
export function formatOf(file: string): 'typescript' | 'module' | 'commonjs' | 'json' | undefined {
  switch (extname(file)) {
    case '.ts':
    case '.mts': return 'typescript';
    case '.mjs': return 'module';
    case '.cjs': return 'commonjs';
    case '.json': return 'json';
    case '.js': return formatOfScript(file);
    default: return undefined;
  }
}

/** Without a `type` in package.json the content decides, so that Steps work in any package. */
function formatOfScript(file: string): 'module' | 'commonjs' {
  return packageType(dirname(file)) ?? (compilesAsCommonJs(readFileSync(file, 'utf8')) ? 'commonjs' : 'module');
}

/** Node's own rule: what V8 takes for the body of a CommonJS module is one. Nothing is run. */
function compilesAsCommonJs(source: string): boolean {
  try {
    compileFunction(source.replace(/^#!.*/, ''), ['exports', 'require', 'module', '__filename', '__dirname']);
    return true;
  } catch {
    return false; // module syntax, or a fault that loading it as a module will name
  }
}

const packageTypes = new Map<string, 'module' | 'commonjs' | undefined>();

function packageType(folder: string): 'module' | 'commonjs' | undefined {
  if (packageTypes.has(folder)) return packageTypes.get(folder);
  const parent = dirname(folder);
  const own = ownPackageType(folder);
  const type = own === 'none' ? (parent === folder ? undefined : packageType(parent)) : own;
  packageTypes.set(folder, type);
  return type;
}

/** `none`: no package begins in this folder. */
function ownPackageType(folder: string): 'module' | 'commonjs' | 'none' | undefined {
  try {
    const { type } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { type?: unknown };
    return type === 'module' || type === 'commonjs' ? type : undefined;
  } catch {
    return 'none'; // absent, or unreadable: then Node itself will say so when it matters
  }
}

function firstFile(paths: readonly string[]): string | undefined {
  return paths.find(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
