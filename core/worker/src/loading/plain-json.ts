const MAX_DEPTH = 64;

/** A value as plain JSON: functions become `true`, what is undefined is left out. @throws Error for cycles */
export function plainJson(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new Error(`nested deeper than ${MAX_DEPTH}, or a cycle`);
  if (typeof value === 'function') return true;
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return value.map((item: unknown) => plainJson(item, depth + 1) ?? null);
  const plain: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const json = plainJson(member, depth + 1);
    if (json !== undefined) define(plain, key, json);
  }
  return plain;
}

/** Sets a member, `__proto__` too, as data. */
export function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
