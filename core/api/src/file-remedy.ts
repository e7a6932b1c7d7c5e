const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/ENOSPC|EDQUOT|SQLITE_FULL/, 'free some space on its disk'],
  [/EACCES|EPERM/, 'give the user that the engine runs as the right to read and write it, and its folder'],
  [/EROFS|SQLITE_READONLY/, 'it is read-only: make it, or the file system that it is on, writable'],
  [/EISDIR|ENOTDIR|EEXIST|EADDRINUSE/, 'something else has its place: look at that, then move it away'],
  [/exists already/, 'name a file that is not there yet'],
  [/EIO|SQLITE_IOERR/, 'look at the disk'],
];

/** What helps against an error of the system that a file met; undefined when that is not known. `reason`: the error's message. */
export function fileRemedy(reason: string): string | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(reason))?.[1];
}
