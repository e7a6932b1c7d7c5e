import { accessSync, chmodSync, constants, mkdirSync } from 'node:fs';

/** Makes the data directory (mode 0700 whatever the umask); one that exists keeps its mode. @throws an `ErrnoException` */
export function createDataDir(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) chmodSync(folder, 0o700);
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}
