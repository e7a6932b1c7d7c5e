/** What differs between two runs of one command: times, ids, sizes, versions, folders. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\u001b\[[\d;]*m/g, ''],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d\.\d{3}\b/g, '<time>'],
  [/\b\d+(\.\d+)? ?(ms|s|min)\b/g, '<duration>'],
  [/(?<=duration_ms )[\d.]+/g, '<duration>'],
  [/\b[\d.,]+ ?(bytes|KB|KiB|MB|MiB)\b/g, '<size>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b([0-9a-f]{32}|[0-9a-f]{24}|[0-9a-z]{26})\b/g, '<id>'],
  [/(?<=trace=)[0-9a-f]{8}\b/g, '<id>'],
  [/\b\d+\.\d+\.\d+\b/g, '<version>'],
];

/** The lines of an output that mean something, without what varies. */
function meant(text: string): readonly string[] {
  const steady = VARYING.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text);
  return steady.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim()).filter((line) => line !== '');
}

/**
 * Whether the lines that a page shows are in an output, in their order. A line `…` stands for any others, and ` …` at the
 * end of a line for the rest of it. Nothing is shown only by no output.
 */
export function isShown(shown: string, output: string): boolean {
  const lines = meant(output);
  if (shown.trim() === '') return lines.length === 0;
  let from = 0;
  return shown.split(/^…$/m).map(meant).every((block) => {
    const found = lines.findIndex((_line, start) => start >= from && block.every((line, index) => isLine(line, lines[start + index])));
    from = found + block.length;
    return found >= 0 || block.length === 0;
  });
}

function isLine(shown: string, line: string | undefined): boolean {
  return shown.endsWith(' …') ? line?.startsWith(shown.slice(0, -1)) === true : line === shown;
}
