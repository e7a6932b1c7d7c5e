import { isUtf8 } from 'node:buffer';
import { jsonFault } from './json-guard.js';

/** JSON of anybody that was taken. */
export interface ReadJson {
  readonly value: unknown;
  readonly text: string;
}

/** Why it was not: a sentence for the client, in which nothing of the body is quoted. */
export interface JsonFault {
  readonly fault: string;
}

/** Parses the bytes of a JSON body, or says why it is refused. */
export function readJson(bytes: Buffer): ReadJson | JsonFault {
  const text = bytes.toString('utf8');
  // Decoding replaces bad bytes; only a text with the replacement character can have had any.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return { fault: 'The body is not valid UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser quotes the body in its message; clients get the fact alone.
    return { fault: 'The body is not valid JSON' };
  }
  const fault = jsonFault(value);
  return fault === undefined ? { value, text } : { fault: `Refused: ${fault}` };
}
