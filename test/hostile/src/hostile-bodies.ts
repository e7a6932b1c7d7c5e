/** As much as the queue, streams and state take; the limit of an HTTP body is 48,576 bytes more. */
const MOST = 1_000_000;
/** Room for what stands around the part that is repeated. */
const LARGEST = MOST - 1_024;

/** JSON text of one string of about 1 MB. */
export const longText = (start: string, unit: string, end = ''): string => JSON.stringify(start + unit.repeat((LARGEST - start.length - end.length) / Buffer.byteLength(unit)) + end);

/** JSON text of an array that repeats an item up to about 1 MB. */
export const filled = (item: string): string => `[${Array.from({ length: LARGEST / (item.length + 1) }, () => item).join()}]`;

/** As many parts as a stored value may consist of. */
const MOST_PARTS = 100_000;

/** JSON text of an array of as many items as may be stored; each item has so many parts of its own. */
export const crowded = (item: string, own = 0): string => `[${Array.from({ length: MOST_PARTS / (own + 1) }, () => item).join()}]`;

/** JSON text of an array of up to about 1 MB, of items that all differ. */
export function different(make: (index: number) => string, most = Infinity): string {
  const items: string[] = [];
  for (let bytes = 0, index = 0; bytes < LARGEST - 50 && index < most; index++) bytes += items[items.push(make(index)) - 1]!.length + 1;
  return `[${items.join()}]`;
}

/** JSON text that is nested. */
export const nested = (depth: number, open: string, core: string, close: string): string => open.repeat(depth) + core + close.repeat(depth);

/** Texts that patterns and formats of strings are slow on. */
export const HOSTILE_TEXTS: readonly string[] = [
  longText('', 'a', '!'), longText('', 'a.', '-'), longText('a@', 'a.'), longText('http://[', ':'), longText('http://', 'a:'), longText('a:', '%41', '%'), longText('', '1', 'x'), longText('', ' ', 'x'),
  longText('', '{a}', '{'), longText('', '/~0', '~'), longText('', 'é', '!'), longText('', 'ab '), longText('2020-01-01T00:00:00.', '0', 'x'), longText('', '('), longText('', 'AAAA', '!'), JSON.stringify(`${'a'.repeat(40)}!`),
];
