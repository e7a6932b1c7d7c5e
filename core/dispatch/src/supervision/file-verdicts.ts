import type { StepFile, StepFileProblem } from '@treadle/protocol';
import { isRequired } from '@treadle/worker/discover';

interface Known {
  /** Version that processes may load; absent: none yet. */
  readonly accepted?: string | undefined;
  /** Version that was loaded without harm, in a trial or by a process that serves. */
  readonly proven?: string | undefined;
  /** Version that harms the process that loads it. */
  readonly harmful?: string | undefined;
}

/** Which version of which file may be loaded. */
export class FileVerdicts {
  private wanted: readonly StepFile[] = [];
  private known = new Map<string, Known>();

  /** These are the files that there are now. What was found of a version holds as long as the file has it. */
  want(files: readonly StepFile[]): void {
    this.wanted = files;
    this.known = new Map(files.map(({ file }) => [file, this.known.get(file) ?? {}]));
  }

  /** Every file may be loaded unless it is known to do harm. */
  acceptAll(): void {
    for (const { file, version } of this.wanted) {
      if (this.of(file).harmful !== version) this.set(file, { accepted: version });
    }
  }

  /** Processes have loaded everything that they may. */
  proveAccepted(): void {
    for (const { file } of this.wanted) this.set(file, { proven: this.of(file).accepted });
  }

  judge({ file, version }: StepFile, problem: StepFileProblem | undefined): void {
    if (!this.known.has(file)) return;
    this.set(file, problem ? { harmful: version } : { accepted: version, proven: version });
  }

  /** It is not loaded until there is a verdict. */
  postpone({ file, version }: StepFile): void {
    if (this.of(file).accepted === version) this.set(file, { accepted: undefined });
  }

  /** Files of which nobody knows what they do. */
  untried(): readonly StepFile[] {
    return this.wanted.filter(({ file, version }) => this.of(file).accepted !== version && this.of(file).harmful !== version);
  }

  /** Files that may be loaded, and of which it is not known whether that does harm. */
  unproven(): readonly StepFile[] {
    return this.wanted.filter(({ file, version }) => this.isAccepted(file, version) && this.of(file).proven !== version);
  }

  /** Files that may be loaded as they are on disk now. */
  accepted(): readonly StepFile[] {
    return this.wanted.filter(({ file, version }) => this.isAccepted(file, version));
  }

  /** What a process loads that begins anew: accepted files, and middleware and setups that may not be loaded, so that no Step is served without them. */
  toLoad(): readonly StepFile[] {
    return this.wanted.flatMap(({ file, version }) => (this.isAccepted(file, version) ? [{ file, version }] : heldFile(file, version)));
  }

  /** What a process that serves goes on with: a file that may not be loaded as it is now goes on as it was. */
  live(): readonly StepFile[] {
    return this.wanted.flatMap(({ file, version }) => {
      const { accepted } = this.of(file);
      if (this.isAccepted(file, version)) return [{ file, version }];
      return accepted === undefined ? heldFile(file, version) : [{ file, version: accepted, held: true }];
    });
  }

  private isAccepted(file: string, version: string): boolean {
    const { accepted, harmful } = this.of(file);
    return accepted === version && harmful !== version;
  }

  private of(file: string): Known {
    return this.known.get(file) ?? {};
  }

  private set(file: string, change: Known): void {
    this.known.set(file, { ...this.of(file), ...change });
  }
}

function heldFile(file: string, version: string): readonly StepFile[] {
  return isRequired(file) ? [{ file, version, held: true }] : [];
}
