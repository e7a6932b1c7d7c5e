import { structuredPatch } from 'diff';

/** The line of `to` that stands where `line` (from 1) stands in `from`; the nearest one where it is gone. */
export function mapLine(from: string, line: number, to: string): number {
  if (from === to) return line;
  let shift = 0;
  for (const { oldStart, oldLines, newStart, newLines } of structuredPatch('', '', from, to, '', '', { context: 0 }).hunks) {
    if (line < oldStart || (oldLines === 0 && line === oldStart)) break;
    if (line < oldStart + oldLines) return Math.max(1, Math.min(newStart + Math.max(0, newLines - 1), newStart + (line - oldStart)));
    shift = newStart + newLines - (oldStart + oldLines);
    if (oldLines === 0) shift -= 1;
    if (newLines === 0) shift += 1;
  }
  return Math.max(1, line + shift);
}
