import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '../../support/temp-folder.js';
import { undoLibrary } from './library.js';

const REPLAY = fileURLToPath(new URL('replay.mjs', import.meta.url));

/** How unsynced changes fare. */
export interface CutOptions {
  /** Share of unsynced writes that survive in any order, 0 to 1; the last of them is torn. Default 0: none does. */
  readonly keep?: number;
  /** Repeats the choice. Default 1. */
  readonly seed?: number;
}

export interface CutReport {
  /** Everything that was written down. */
  readonly records: number;
  /** Of these not synced at the cut. */
  readonly live: number;
  readonly undone: number;
  readonly kept: number;
}

/** A folder whose power can be cut: what a program did there and had not synced when it was killed is taken back. */
export class CuttableFolder {
  private readonly logs = tempFolder();
  private lives = 0;

  constructor(readonly path: string) {
    mkdirSync(path, { recursive: true });
  }

  /** Environment of the next program to use the folder; only one at a time, and itself, not its children. */
  nextLife(): Readonly<Record<string, string>> {
    rmSync(this.log(), { force: true });
    rmSync(`${this.log()}.saved`, { recursive: true, force: true });
    this.lives += 1;
    return { LD_PRELOAD: undoLibrary(), POWER_CUT_FOLDER: this.path, POWER_CUT_LOG: this.log() };
  }

  /** Leaves the folder as if the power had gone when the program was killed. It must have ended. */
  cut({ keep = 0, seed = 1 }: CutOptions = {}): CutReport {
    const said = execFileSync(process.execPath, [
      REPLAY, '--log', this.log(), '--folder', this.path, '--keep', String(keep), '--seed', String(seed),
    ], { encoding: 'utf8' });
    return JSON.parse(said) as CutReport;
  }

  private log(): string {
    return join(this.logs, `life-${this.lives}`);
  }
}
