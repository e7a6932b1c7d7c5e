/** A last column that would be narrower is not wrapped. */
const MIN_LAST = 24;

/**
 * Lays out rows in columns, each as wide as its widest cell, two spaces apart; no space at line ends.
 * @param width columns of the terminal: the last column is wrapped into it. Default: no wrapping.
 */
export function formatTable(rows: readonly (readonly string[])[], width = Infinity): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => { widths[index] = Math.max(widths[index] ?? 0, cell.length); });
  }
  const indent = widths.slice(0, -1).reduce((sum, column) => sum + column + 2, 0);
  const last = width - indent < MIN_LAST ? Infinity : width - indent;
  return rows.map((row) => layOut(row, { widths, indent, last })).join('\n');
}

interface Layout {
  readonly widths: readonly number[];
  /** Where the last column begins. */
  readonly indent: number;
  /** Width of the last column. */
  readonly last: number;
}

function layOut(row: readonly string[], { widths, indent, last }: Layout): string {
  const isFull = row.length === widths.length;
  const head = (isFull ? row.slice(0, -1) : row).map((cell, index) => cell.padEnd(widths[index] ?? 0));
  const [first = '', ...more] = isFull ? wrap(row.at(-1) ?? '', last) : [];
  const line = (isFull ? [...head, first] : head).join('  ').trimEnd();
  return [line, ...more.map((text) => ' '.repeat(indent) + text)].join('\n');
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > width && line !== '') lines.push(line);
    line = longer.length > width && line !== '' ? word : longer;
  }
  return [...lines, line];
}

/** `1 module`, `2 modules`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${amount === 1 ? noun : `${noun}s`}`;
}
