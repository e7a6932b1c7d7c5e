import { createPathsMatcher, getTsconfig, type TsConfigResult } from 'get-tsconfig';

/** What `tsconfig.json` says of an application: its own, or the nearest one above its root, with all that it extends. */
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

function read(root: string): TsConfigResult | undefined {
  try {
    return getTsconfig(root) ?? undefined;
  } catch {
    return undefined; // the compiler names the fault better than a Step that does not load
  }
}
