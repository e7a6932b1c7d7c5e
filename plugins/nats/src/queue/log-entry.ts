import type { BodyRef } from './machine/delivery.js';
import type { Entry, LogEntry } from './machine/commands.js';

/** Bytes of a message of the log beyond which bodies go into another one; the server takes 1 MiB. */
const MOST_BYTES = 900_000;
const NEWLINE = 10;

type Head = Entry & { readonly sizes: readonly number[] };

/** An entry with what belongs to it, as messages of the log: first the parts that bring bodies, then the entry. */
export function encodeEntry(entry: Omit<Entry, 'part' | 'parts'>, bodies: readonly Buffer[]): readonly Buffer[] {
  const { commands, ...rest } = entry;
  const portions = portionsOf(bodies, MOST_BYTES - JSON.stringify(commands).length);
  const last = portions.pop() ?? [];
  const parts = bodies.length - last.length;
  return [
    ...portions.map((portion) => messageOf({ ...rest, joins: undefined, part: true, commands: [] }, portion)),
    messageOf({ ...rest, ...parts > 0 && { parts }, commands }, last),
  ];
}

/** Reverses `encodeEntry` for a message. */
export function decodeEntry(data: Uint8Array, seq: number, at: number): LogEntry {
  const end = data.indexOf(NEWLINE);
  const { sizes, ...entry } = JSON.parse(Buffer.from(data.buffer, data.byteOffset, end).toString()) as Head;
  let from = end + 1;
  const bodies = sizes.map((size): BodyRef => [seq, from, from += size]);
  return { ...entry, seq, at, bodies };
}

function messageOf(entry: Entry, bodies: readonly Buffer[]): Buffer {
  const head: Head = { ...entry, sizes: bodies.map(({ length }) => length) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...bodies]);
}

/** The last portion has room for the commands as well. */
function portionsOf(bodies: readonly Buffer[], room: number): Buffer[][] {
  const portions: Buffer[][] = [[]];
  let size = 0;
  for (const body of bodies) {
    if (size > 0 && size + body.length > MOST_BYTES) {
      portions.push([]);
      size = 0;
    }
    portions.at(-1)?.push(body);
    size += body.length;
  }
  if (size > room && size > 0) portions.push([]);
  return portions;
}
