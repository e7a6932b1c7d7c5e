import { isUtf8 } from 'node:buffer';
import { invalidJson, type Problem } from '../problem.js';
import { jsonFault } from './json-guard.js';

export interface ParsedJson {
  readonly value: unknown;
  readonly text: string;
}

/** Parses the bytes of a JSON body, or says why it is refused. The text of the parser's error is not passed on. */
export function parseJsonBody(bytes: Buffer): ParsedJson | Problem {
  const text = bytes.toString('utf8');
  // Decoding replaces bad bytes; only a text with the replacement character can have had any.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return invalidJson('The body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser quotes the body in its message; clients get the fact alone.
    return invalidJson('The body is not valid JSON');
  }
  const fault = jsonFault(value);
  return fault === undefined ? { value, text } : invalidJson(`Refused: ${fault}`);
}
