/** Values of a path's `:names`, each decoded by itself so that a slash inside a key stays one; undefined when it does not fit. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [segments(pattern), segments(path)];
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const text = given[at] as string;
    if (part.startsWith(':')) values[part.slice(1)] = decoded(text);
    else if (part !== text) return undefined;
  }
  return values;
}

/** A path of segments, each encoded. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
}

function segments(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

/** A badly encoded address shows as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
