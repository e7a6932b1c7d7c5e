/** The first line of what an SQLite library threw; libsql keeps the name of the code apart from it. */
export function reasonOf(cause: unknown): string {
  const { message, code } = cause as Error & { readonly code?: string };
  const line = (message.split('\n')[0] ?? message).trim();
  return code?.startsWith('SQLITE_') && !line.startsWith(code) ? `${code}: ${line}` : line;
}

/**
 * What an error says of the disk, whether SQLite met it or the system where files are read and written without it. `full`: no room, nothing was
 * written. `failed`: the disk did not do what it was told. `damaged`: the file is no sound database. Undefined: it is not about the disk.
 */
export function diskFaultOf(cause: unknown): 'full' | 'failed' | 'damaged' | undefined {
  const { code, syscall } = cause as NodeJS.ErrnoException;
  if (syscall !== undefined) return code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'failed';
  const reason = reasonOf(cause);
  if (/^SQLITE_(FULL|NOMEM|IOERR_SHMSIZE)/.test(reason)) return 'full';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(reason)) return 'damaged';
  return /^SQLITE_(IOERR|READONLY|CANTOPEN)/.test(reason) ? 'failed' : undefined;
}
