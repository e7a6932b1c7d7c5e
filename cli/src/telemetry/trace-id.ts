import { treadleError } from '@treadle/api';

/**
 * An id as any command prints it, for the engine: whole, or its first digits, with or without `trace=` before it.
 * @throws {USAGE} when it is none
 */
export function traceId(written: string): string {
  const [, id] = /^(?:trace=)?([0-9a-f]{4,32})$/i.exec(written) ?? [];
  if (id !== undefined) return id.toLowerCase();
  throw treadleError('USAGE', { message: `"${written}" is not a trace id: give its 32 hex digits, or the first 4 or more of them`, hint: '"treadle traces" shows them' });
}
