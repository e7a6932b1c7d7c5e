import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StepFile, StepFileReport } from '@treadle/api';

/** File systems note times in coarse steps. */
const CLOCK_STEP_MS = 50;

/**
 * Versions of Step files that change with what they import as well. A file keeps the version of its own content until
 * one of its imports changes, so that nothing is loaded twice for nothing.
 */
export class ImportVersions {
  private readonly importsOf = new Map<string, readonly string[]>();
  private readonly hashes = new Map<string, string>();
  private readonly salts = new Map<string, string>();
  private readonly unresolved = new Set<string>();

  /** @param root absolute */
  constructor(private readonly root: string) {}

  /** Files that are imported, relative to the root. */
  get imports(): ReadonlySet<string> {
    return new Set([...this.importsOf.values()].flat());
  }

  /** Learns from a registration what each file imports. */
  learn(reports: readonly StepFileReport[]): void {
    for (const { file, imports, problem } of reports) {
      const culprit = problem?.at === undefined ? [] : [problem.at];
      if (imports) this.importsOf.set(file, [...imports, ...culprit]);
      else if (culprit.length > 0) this.importsOf.set(file, [...(this.importsOf.get(file) ?? []), ...culprit]);
      if (problem?.kind === 'import' || problem?.kind === 'crash') this.unresolved.add(file);
      else this.unresolved.delete(file);
    }
  }

  /**
   * Remembers the content of imports that are new. True when one of them may have changed since `loadedMs` (milliseconds
   * since the epoch), when the worker was asked to load: then nobody knows which content it read.
   */
  async remember(loadedMs: number): Promise<boolean> {
    let doubtful = false;
    for (const file of this.imports) {
      if (this.hashes.has(file)) continue;
      // Read first: what is changed between the two shows in the time.
      const content = await this.hash(file);
      const changedMs = await stat(join(this.root, file)).then(({ mtimeMs }) => mtimeMs, () => Infinity);
      const isNew = changedMs > loadedMs - CLOCK_STEP_MS;
      this.hashes.set(file, isNew ? 'unknown' : content);
      doubtful ||= isNew;
    }
    return doubtful;
  }

  /** The same files with the versions that they have now. */
  async apply(files: readonly StepFile[]): Promise<readonly StepFile[]> {
    const changed = await this.changedImports();
    return files.map(({ file, version }) => {
      const imports = (this.importsOf.get(file) ?? []).filter((path) => changed.has(path));
      // What an unresolved import needs may be a file that nobody knows yet, so any change is worth another try.
      const causes = this.unresolved.has(file) ? ['retry', String(Math.random())] : imports.map((path) => changed.get(path) ?? '');
      if (causes.length > 0) this.salts.set(file, digest([this.salts.get(file) ?? '', ...causes].join()));
      const salt = this.salts.get(file);
      return { file, version: salt === undefined ? version : `${version}-${salt.slice(0, 12)}` };
    });
  }

  private async changedImports(): Promise<ReadonlyMap<string, string>> {
    const changed = new Map<string, string>();
    for (const file of this.imports) {
      const now = await this.hash(file);
      if (this.hashes.get(file) === now) continue;
      this.hashes.set(file, now);
      changed.set(file, now);
    }
    return changed;
  }

  private async hash(file: string): Promise<string> {
    try {
      return digest(await readFile(join(this.root, file)));
    } catch {
      return 'missing'; // an import that is gone is a change like any other
    }
  }
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
