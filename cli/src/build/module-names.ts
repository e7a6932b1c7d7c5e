import { extname } from 'node:path';

/**
 * What each source becomes in the build, relative to it: `steps/a.step.ts` is `steps/a.step.mjs`, which Node takes for a
 * module whatever the application's package.json says. Of two that differ by their extension only each keeps its own.
 */
export function moduleNames(files: readonly string[]): ReadonlyMap<string, string> {
  const stems = files.map((file) => file.slice(0, -extname(file).length));
  const isTaken = (stem: string): boolean => stems.indexOf(stem) !== stems.lastIndexOf(stem);
  return new Map(files.map((file, index) => {
    const stem = stems[index] ?? file;
    return [file, `${isTaken(stem) ? file : stem}.mjs`];
  }));
}
