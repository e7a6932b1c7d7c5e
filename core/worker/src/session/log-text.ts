import { plainFields } from '../running/log-fields.js';
import type { RunnerLogEntry } from '../runner-host.js';

/** Longest text of a record, in characters. */
const MAX_MESSAGE = 64 * 1024;
/** Longest fields of a record as JSON, in characters. */
const MAX_FIELDS = 256 * 1024;

/** The `log` message of a record as JSON text. What is too long is cut, for a record must never end the session. */
export function logText(callId: number | undefined, entry: RunnerLogEntry): string {
  const { message, fields, ...rest } = entry;
  const plain = plainFields(fields);
  const long = plain !== undefined && JSON.stringify(plain).length > MAX_FIELDS;
  return JSON.stringify({
    type: 'log', id: callId, ...rest, message: message.slice(0, MAX_MESSAGE), fields: long ? { dropped: 'the fields were too large' } : plain,
  });
}
