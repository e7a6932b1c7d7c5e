const MAX_DEPTH = 8;
const MAX_ITEMS = 200;

type Plain = Readonly<Record<string, unknown>>;

/** A copy of log fields as plain JSON. Never throws: errors, cycles and what JSON cannot hold are written out as text. */
export function plainFields(fields: unknown): Plain | undefined {
  if (fields === undefined || fields === null) return undefined;
  const plain = toPlain(fields, 0, []);
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? (plain as Plain) : { value: plain };
}

function toPlain(value: unknown, depth: number, above: readonly unknown[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined': return value;
    case 'number': return Number.isFinite(value) ? value : String(value);
    case 'object': return value === null ? null : objectToPlain(value, depth, above);
    case 'bigint': return value.toString();
    default: return `[${typeof value}]`;
  }
}

function objectToPlain(value: object, depth: number, above: readonly unknown[]): unknown {
  if (above.includes(value)) return '[circular]';
  if (depth >= MAX_DEPTH) return '[too deep]';
  try {
    if (value instanceof Error) return errorToPlain(value, depth, [...above, value]);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return toPlain((toJSON as () => unknown).call(value), depth + 1, [...above, value]);
    return membersToPlain(value, depth, [...above, value]);
  } catch (error) {
    // A getter or toJSON of the application threw: the record is still worth writing.
    return `[unreadable: ${error instanceof Error ? error.message : String(error)}]`;
  }
}

function membersToPlain(value: object, depth: number, above: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => toPlain(item, depth + 1, above));
  if (value instanceof Map) return membersToPlain(Object.fromEntries(value), depth, above);
  if (value instanceof Set) return membersToPlain([...value], depth, above);
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([key, member]) => [key, toPlain(member, depth + 1, above)]));
}

function errorToPlain(error: Error, depth: number, above: readonly unknown[]): unknown {
  const own = membersToPlain({ ...error }, depth, above) as Record<string, unknown>;
  const cause = error.cause === undefined ? {} : { cause: toPlain(error.cause, depth + 1, above) };
  return { name: error.name, message: error.message, stack: error.stack, ...own, ...cause };
}
