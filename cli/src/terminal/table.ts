/** Lays out rows in columns, each as wide as its widest cell, two spaces apart; no space at line ends. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => { widths[index] = Math.max(widths[index] ?? 0, cell.length); });
  }
  return rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd()).join('\n');
}

/** `1 module`, `2 modules`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${amount === 1 ? noun : `${noun}s`}`;
}
