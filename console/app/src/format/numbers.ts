/** `8 214`: groups of three with a thin space, the same in every language. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** `1.4 MB` */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`;
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(2)} GB`;
}

/** `500+ logs` where there are more than that, else `500 logs`. */
export function atLeast(value: number, more: boolean, one: string, many = `${one}s`): string {
  return more ? `${count(value)}+ ${many}` : plural(value, one, many);
}

/** `1 message`, `3 messages` */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
