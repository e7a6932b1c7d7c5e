import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from './temp-folder.js';

const NAME = 'faketime/libfaketime.so.1';

/** The wall clock of processes, which a test sets while they run; what measures elapsed time goes on. Needs libfaketime. */
export class FakedClock {
  private readonly file = join(tempFolder(), 'offset');

  constructor() {
    this.set(0);
  }

  /** For the processes that are to have this clock; those that they start have it as well. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: library() ?? '', FAKETIME_TIMESTAMP_FILE: this.file, FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** Lets it show the true time and so many seconds more. */
  set(seconds: number): void {
    writeFileSync(`${this.file}.draft`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${this.file}.draft`, this.file);
  }
}

/** Whether this machine has the library. */
export function canFakeClocks(): boolean {
  return library() !== undefined;
}

/** Where the packages of distributions put it: /usr/lib, or a folder of the architecture in it. */
function library(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folders = ['/usr/lib', '/usr/local/lib', ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name))];
  return folders.map((folder) => join(folder, NAME)).find((file) => existsSync(file));
}
