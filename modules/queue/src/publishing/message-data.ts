import { checkParts, isPlain, toJson } from '@treadle/json';
import { queueError } from '../queue-errors.js';

/** Longest text whose UTF-8 fits for certain is a third of the limit. */
const BYTES_A_CHARACTER = 3;

/**
 * The JSON text of a message's data. What JSON would silently change is refused; `toJSON` is honoured and members that
 * are `undefined` are left out.
 * @throws OperationError `InvalidValue`
 */
export function dataText(data: unknown, topic: string, maxBytes: number): string {
  // Walking is a fraction of the cost of a copy; nearly all data needs none.
  const json = isPlain(data) ? data : toJson(data);
  const text = JSON.stringify(json);
  if (text.length * BYTES_A_CHARACTER > maxBytes) checkBytes(text, topic, maxBytes);
  checkParts(json, text, `the data for topic "${topic}"`);
  return text;
}

function checkBytes(text: string, topic: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw queueError('InvalidValue', `the data for topic "${topic}" has ${bytes} bytes as JSON; at most ${maxBytes} are taken`);
}
