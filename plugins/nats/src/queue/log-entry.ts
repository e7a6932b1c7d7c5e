import { portionsOf } from '../store/in-portions.js';
import type { BodyRef } from './machine/delivery.js';
import type { Entry, LogEntry } from './machine/commands.js';

/** Bytes of a message of the log beyond which bodies go into another one; the server takes 1 MiB. */
const MOST_BYTES = 900_000;
/** Characters of commands that are too long for one message, in each of several: as a text within a text they take up to three bytes. */
const PIECE = 250_000;
const NEWLINE = 10;
/** No commands, as JSON. */
const NONE = '[]';

type Head = Entry & { readonly sizes: readonly number[] };
type Framing = Omit<Entry, 'commands'>;

/** An entry with what belongs to it, as messages of the log: first the parts that bring bodies or pieces of the commands, then the entry. */
export function encodeEntry({ commands, ...entry }: Omit<Entry, 'part' | 'parts' | 'piece' | 'pieces'>, bodies: readonly Buffer[]): readonly Buffer[] {
  const text = JSON.stringify(commands);
  const bytes = Buffer.byteLength(text);
  const pieces = bytes > MOST_BYTES ? piecesOf(text) : [];
  const portions = portionsOf(bodies, MOST_BYTES, ({ length }) => length);
  const last = lastOf(portions, pieces.length > 0 ? MOST_BYTES : MOST_BYTES - bytes);
  const parts = bodies.length - last.length;
  const part = { ...entry, joins: undefined, part: true } as const;
  const whole = { ...entry, ...parts > 0 && { parts }, ...pieces.length > 0 && { pieces: pieces.length } };
  return [
    ...pieces.map((piece) => messageOf({ ...part, piece }, NONE, [])),
    ...portions.map((portion) => messageOf(part, NONE, portion)),
    messageOf(whole, pieces.length > 0 ? NONE : text, last),
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

/** @param commands as JSON: they are most of what is there, and made once */
function messageOf(entry: Framing, commands: string, bodies: readonly Buffer[]): Buffer {
  const framing: Omit<Head, 'commands'> = { ...entry, sizes: bodies.map(({ length }) => length) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(framing).slice(0, -1)},"commands":${commands}}\n`), ...bodies]);
}

/** Takes the portion that goes with the commands: the last one, where there is room for it. */
function lastOf(portions: Buffer[][], room: number): readonly Buffer[] {
  const size = portions.at(-1)?.reduce((sum, { length }) => sum + length, 0) ?? 0;
  return size > room ? [] : portions.pop() ?? [];
}

function piecesOf(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) => text.slice(index * PIECE, (index + 1) * PIECE));
}
