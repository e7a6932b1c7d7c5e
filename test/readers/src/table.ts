/** A line of a table for people, and for a README. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
