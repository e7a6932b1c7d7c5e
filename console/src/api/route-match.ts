import { Refusal } from '../server/refusal.js';

/** Parts between slashes; a slash at the end is none. */
export function segmentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

/** The values of a pattern's `:params`, percent-decoded; undefined when the path does not fit. @throws {Refusal} 400 */
export function matchPath(pattern: string, path: readonly string[]): Readonly<Record<string, string>> | undefined {
  const wanted = segmentsOf(pattern);
  if (wanted.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const given = path[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== decoded(given)) return undefined;
    } else if (given === '') return undefined;
    else params[part.slice(1)] = decoded(given);
  }
  return params;
}

/** How much of a pattern is said literally: of two that fit the more literal one is meant. */
export function literalParts(pattern: string): number {
  return segmentsOf(pattern).filter((part) => !part.startsWith(':')).length;
}

/** @throws {Refusal} 400 when the text is not percent-encoded UTF-8 */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, 'bad_path', `the path holds "${segment.slice(0, 100)}", which is not percent-encoded UTF-8`);
  }
}
