import { type OrProblem, PROBLEMS } from '../response/problem.js';
import type { QueryArrays } from '../routing/trigger-schemas.js';

/** Name to its value, or to all its values when it was repeated. Has no prototype. */
export type Query = Record<string, string | string[]>;

const MAX_PARAMETERS = 256;
/** Longer texts are changed byte by byte: `replaceAll` takes hundreds of milliseconds for a form of a million `+`. */
const LONG = 128;
const PLUS = 0x2b;
const SPACE = 0x20;

/** Reads `a=1&b=2`, percent-encoded with `+` for a space. `maxPairs` bounds the number of pairs. */
export function parseQuery(text: string, maxPairs = MAX_PARAMETERS): OrProblem<Query> {
  const query = Object.create(null) as Query;
  let pairs = 0;
  let start = 0;
  while (start <= text.length) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      if (++pairs > maxPairs) return PROBLEMS.tooManyParameters;
      if (!addPair(query, text.slice(start, end))) return PROBLEMS.badEncoding;
    }
    start = end + 1;
  }
  return query;
}

function addPair(query: Query, pair: string): boolean {
  const equals = pair.indexOf('=');
  const name = decode(equals === -1 ? pair : pair.slice(0, equals));
  const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
  if (name === undefined || value === undefined) return false;
  const before = query[name];
  if (before === undefined) query[name] = value;
  else if (typeof before === 'string') query[name] = [before, value];
  else before.push(value);
  return true;
}

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? withSpaces(text) : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // Not an encoding: the caller refuses the request.
    return undefined;
  }
}

function withSpaces(text: string): string {
  if (text.length <= LONG) return text.replaceAll('+', ' ');
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE;
  return bytes.toString();
}

/** Gives each name the form its schema asks for: an array where it wants one, else the last value; as it came where that is only told by the check. */
export function shapeQuery(query: Query, { names, listed, others }: QueryArrays): void {
  for (const name in query) {
    const value = query[name];
    if (names.has(name)) {
      if (typeof value === 'string') query[name] = [value];
    } else if (Array.isArray(value) && (listed.has(name) || !others)) {
      query[name] = value[value.length - 1] as string;
    }
  }
}
