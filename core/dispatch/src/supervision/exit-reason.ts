/** Why a process ended, in words for people. */
export function exitReason(code: number | null, signal: NodeJS.Signals | null, output: string): string {
  const outOfMemory = output.includes('heap out of memory') || output.includes('Reached heap limit');
  // A shell in between reports a signal as 128 + its number.
  if (outOfMemory && (signal === 'SIGABRT' || code === 134)) return 'heap out of memory (signal SIGABRT)';
  if (code === 1 && /^MemoryError\b/m.test(output)) return 'MemoryError (exit code 1)';
  return signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
}
