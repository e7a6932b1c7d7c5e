/** The line of a file where a stack was when it failed: its innermost frame there. JavaScript names that first, Python last. */
export function frameLine(stack: string, file: string): number | undefined {
  const inJavaScript: number[] = [];
  const inPython: number[] = [];
  for (const text of stack.split('\n')) {
    const [, path = '', line] = /File "([^"]+)", line (\d+)/.exec(text) ?? [];
    if (isFile(path, file)) inPython.push(Number(line));
    const [, place = '', number] = /([^\s(]+):(\d+):\d+\)?$/.exec(text) ?? [];
    if (isFile(place, file)) inJavaScript.push(Number(number));
  }
  return inJavaScript[0] ?? inPython.at(-1);
}

function isFile(path: string, file: string): boolean {
  const written = path.replace(/^file:\/\//, '').replaceAll('\\', '/');
  return written === file || written.endsWith(`/${file}`);
}
