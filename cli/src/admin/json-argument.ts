import { text as textOf } from 'node:stream/consumers';
import { type Json, treadleError } from '@treadle/api';

/**
 * JSON that a user wrote on the command line, or gave on stdin when it is absent or `-`.
 * @throws {USAGE} when it is no JSON or a number is too large for it, naming the argument
 */
export async function jsonArgument(written: string | undefined, name: string): Promise<Json> {
  if (written !== undefined && written !== '-') return parse(written, name);
  if (written === undefined && process.stdin.isTTY) {
    throw treadleError('USAGE', { message: `${name} is missing`, hint: `write it as JSON, or pipe it in with "-"` });
  }
  return parse(await textOf(process.stdin), `${name} on stdin`);
}

/** The same for an option. @throws {USAGE} */
export function jsonOption(written: string | undefined, name: string): Json | undefined {
  return written === undefined ? undefined : parse(written, name);
}

function parse(text: string, name: string): Json {
  // It would be sent as null.
  const tooLarge = (_key: string, value: Json): Json => {
    if (value === Infinity || value === -Infinity) throw treadleError('USAGE', { message: `${name} has a number that is too large` });
    return value;
  };
  try {
    return JSON.parse(text, tooLarge) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const hint = quotesHint(text);
    throw treadleError('USAGE', { message: `${name} is not JSON: ${error.message}`, ...hint === undefined ? {} : { hint } });
  }
}

/** Of the two ways in which quotes go wrong in a shell; undefined when the fault is another one. */
function quotesHint(text: string): string | undefined {
  if (/^[\w .-]+$/.test(text)) return `texts stand in quotes: '"${text}"'`;
  return /[{,]\s*['\w]/.test(text) ? `keys and texts stand in double quotes, the whole in single ones: '{"id": "o-1"}'` : undefined;
}
