import type { HookProblem, HookReport } from './hook-messages.js';

/** Which local files import which, as far as they were loaded; paths are absolute. */
export class ModuleGraph {
  /** By URL with version: an old version may import what the new one does not. */
  readonly #imports = new Map<string, Set<string>>();
  readonly #hashes = new Map<string, string>();
  readonly #problems = new Map<string, HookProblem>();

  merge(report: HookReport): void {
    for (const [importer, imported] of report.edges) this.add(importer, imported);
    for (const [file, hash] of report.loaded) {
      this.#hashes.set(file, hash);
      this.#problems.delete(file);
    }
    for (const problem of report.problems) this.#problems.set(problem.file, problem);
  }

  add(importer: string, imported: string): void {
    const known = this.#imports.get(importer);
    if (known) known.add(imported);
    else this.#imports.set(importer, new Set([imported]));
  }

  /** Files that were loaded at some time. */
  get loaded(): Iterable<string> {
    return this.#hashes.keys();
  }

  /** A file that was loaded without the module hooks, with the content that it has now. */
  note(file: string, hash: string): void {
    if (!this.#hashes.has(file)) this.#hashes.set(file, hash);
  }

  /** A file will be loaded anew. */
  forget(file: string): void {
    this.#hashes.delete(file);
  }

  /** Hash of the content that was loaded last. */
  hash(file: string): string | undefined {
    return this.#hashes.get(file);
  }

  /** The first problem of a file or of what it imports. */
  problem(file: string, urlOf: (file: string) => string): HookProblem | undefined {
    for (const each of this.closure(file, urlOf)) {
      const problem = this.#problems.get(each);
      if (problem) return problem;
    }
    return undefined;
  }

  /** A file and everything that it imports, directly or not, in the order of import. */
  closure(file: string, urlOf: (file: string) => string): ReadonlySet<string> {
    const seen = new Set([file]);
    // A set may grow while it is walked; what is added comes later in the same walk.
    for (const each of seen) {
      for (const imported of this.#imports.get(urlOf(each)) ?? []) seen.add(imported);
    }
    return seen;
  }

  /** `changed` and every file of `within` that imports one of them, directly or not. */
  importers(changed: ReadonlySet<string>, within: Iterable<string>, urlOf: (file: string) => string): Set<string> {
    const reverse = new Map<string, string[]>();
    for (const file of within) {
      for (const imported of this.#imports.get(urlOf(file)) ?? []) {
        reverse.set(imported, [...(reverse.get(imported) ?? []), file]);
      }
    }
    const stale = new Set(changed);
    for (const file of stale) {
      for (const importer of reverse.get(file) ?? []) stale.add(importer);
    }
    return stale;
  }
}
