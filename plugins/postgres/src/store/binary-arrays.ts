/** Types of the server's catalog. @source PostgreSQL, `pg_type.dat` */
const [INT4, INT8, TEXT] = [23, 20, 25];
const HEADER = 20;
const UPPER = 2 ** 32;

/**
 * Arrays in the server's binary form, as values of parameters of exactly that type. As text `pg` would escape each element, and the server read it again
 * character by character, which costs several times as much. The server takes null for an array of nulls alone where it unnests several together.
 */
export function integers(values: readonly number[]): Buffer {
  const buffer = begun(INT4, values.length, 8 * values.length);
  values.forEach((value, index) => {
    const at = HEADER + 8 * index;
    buffer.writeInt32BE(4, at);
    buffer.writeInt32BE(value, at + 4);
  });
  return buffer;
}

/** `bigint[]` of whole numbers that a number can tell apart. */
export function bigints(values: readonly (number | null)[]): Buffer | null {
  const nulls = countNulls(values);
  if (nulls > 0 && nulls === values.length) return null;
  const buffer = begun(INT8, values.length, 12 * values.length - 8 * nulls, nulls > 0);
  let at = HEADER;
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : 8, at);
    if (value === null) continue;
    const high = Math.floor(value / UPPER);
    at = buffer.writeInt32BE(high, at);
    at = buffer.writeUInt32BE(value - high * UPPER, at);
  }
  return buffer;
}

/** `text[]`. */
export function texts(values: readonly (string | null)[]): Buffer | null {
  const nulls = countNulls(values);
  if (nulls > 0 && nulls === values.length) return null;
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  const bytes = lengths.reduce((sum, length) => sum + Math.max(0, length), 4 * values.length);
  const buffer = begun(TEXT, values.length, bytes, nulls > 0);
  let at = HEADER;
  values.forEach((value, index) => {
    at = buffer.writeInt32BE(lengths[index] ?? -1, at);
    if (value !== null) at += buffer.write(value, at);
  });
  return buffer;
}

/** With the header of an array of one dimension that begins with 1; an empty one has none. */
function begun(type: number, length: number, bytes: number, nulls = false): Buffer {
  const buffer = Buffer.allocUnsafe(length === 0 ? 12 : HEADER + bytes);
  buffer.writeInt32BE(length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(nulls ? 1 : 0, 4);
  buffer.writeInt32BE(type, 8);
  if (length === 0) return buffer;
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}

function countNulls(values: readonly unknown[]): number {
  return values.reduce<number>((count, value) => count + (value === null ? 1 : 0), 0);
}
