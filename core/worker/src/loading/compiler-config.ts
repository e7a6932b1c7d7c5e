import { basename, dirname } from 'node:path';
import { createPathsMatcher, getTsconfig, type TsConfigResult } from 'get-tsconfig';

/**
 * What `tsconfig.json`, or `jsconfig.json` where there is none as near, says of an application: its own, or the nearest one above its
 * root, with all that it extends.
 */
export class TsConfig {
  /** As JSON, for esbuild; undefined without a file. */
  readonly raw: string | undefined;
  readonly #paths: ((specifier: string) => readonly string[]) | undefined;

  /** `root` is absolute. A file that cannot be read or that extends what is not there counts as absent: `tsc` will say so. */
  constructor(root: string) {
    const found = read(root);
    this.raw = found && JSON.stringify({ compilerOptions: found.config.compilerOptions });
    this.#paths = (found && createPathsMatcher(found)) ?? undefined;
  }

  /** Absolute paths, without regard to extensions, that `paths` and `baseUrl` give for a bare specifier; the first that exists counts. */
  candidates(specifier: string): readonly string[] {
    return this.#paths?.(specifier) ?? [];
  }
}

/** The `jsconfig.json` that counts for an application, absolute; undefined where a `tsconfig.json` does, or none of them. */
export function jsConfigFile(root: string): string | undefined {
  const path = read(root)?.path;
  return path !== undefined && basename(path) === 'jsconfig.json' ? path : undefined;
}

/** Of two files above a folder: the first, unless the second lies deeper. */
function nearer(first: TsConfigResult | null, second: TsConfigResult | null): TsConfigResult | undefined {
  if (first === null || second === null) return first ?? second ?? undefined;
  return dirname(second.path).length > dirname(first.path).length ? second : first;
}

function read(root: string): TsConfigResult | undefined {
  try {
    return nearer(getTsconfig(root), getTsconfig(root, 'jsconfig.json'));
  } catch {
    return undefined; // the compiler names the fault better than a Step that does not load
  }
}
