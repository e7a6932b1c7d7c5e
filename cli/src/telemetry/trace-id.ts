import { treadleError } from '@treadle/api';

/** An id as it was written. @throws {USAGE} when it is none */
export function traceId(written: string): string {
  if (/^[0-9a-f]{32}$/i.test(written)) return written;
  throw treadleError('USAGE', { message: `"${written}" is no trace id; one has 32 hex digits`, hint: '"treadle traces" shows them' });
}
