/** The first line of what an SQLite library threw; libsql keeps the name of the code apart from it. */
export function reasonOf(cause: unknown): string {
  const { message, code } = cause as Error & { readonly code?: string };
  const line = (message.split('\n')[0] ?? message).trim();
  return code?.startsWith('SQLITE_') && !line.startsWith(code) ? `${code}: ${line}` : line;
}

/** The file is no sound database. */
export function isDamage(reason: string): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(reason);
}
