type Headers = Readonly<Record<string, unknown>>;

/**
 * Names of headers have no case and arrive in small letters; a schema may spell them otherwise. Returns what gives its library the
 * headers under the names that it declares.
 */
export function declaredHeaders(schema: unknown): (headers: unknown) => unknown {
  const spelt = namesOf(schema).filter((name) => name !== name.toLowerCase());
  if (spelt.length === 0) return (headers) => headers;
  return (headers) => {
    const renamed: Record<string, unknown> = { ...(headers as Headers) };
    for (const name of spelt) {
      const value = renamed[name.toLowerCase()];
      if (value === undefined) continue;
      renamed[name] = value;
      delete renamed[name.toLowerCase()];
    }
    return renamed;
  };
}

/** Where zod (`shape`) and valibot (`entries`) have the members of an object. */
function namesOf(schema: unknown): readonly string[] {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return [];
  const { shape, entries } = schema as { shape?: unknown; entries?: unknown };
  const members = shape ?? entries;
  return typeof members === 'object' && members !== null ? Object.keys(members) : [];
}
