/** Node.js from here on takes the files of `--test` for patterns. */
const FIRST_WITH_PATTERNS = 21;
/** A brace is looked for before classes are: it is written as a range that holds it. */
const BRACES: Readonly<Record<string, string>> = { '{': '[z-|]', '}': '[|-~]' };

/**
 * What `node --test` takes for a file of this path alone, whatever is in its name.
 * @param major of the Node.js that runs it
 */
export function runnerPath(file: string, major = Number.parseInt(process.versions.node, 10)): string {
  // A backslash does not escape there: each character with a meaning becomes a class of its own.
  return major < FIRST_WITH_PATTERNS ? file : file.replace(/[?*()[\]{}]/g, (character) => BRACES[character] ?? `[${character}]`);
}
