import { BY_NAME, LISTED, SINGLE } from './subschemas.js';

type Keywords = Record<string, unknown>;

/** Deeper parts are taken as they are. */
const MAX_DEPTH = 64;

/** A copy of a schema with `change` applied to it and to every schema in it. */
export function rewriteSchema(schema: unknown, change: (part: Readonly<Keywords>) => Readonly<Keywords>, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || depth > MAX_DEPTH) return schema;
  const changed: Keywords = { ...change(schema as Keywords) };
  const inner = (part: unknown): unknown => rewriteSchema(part, change, depth + 1);
  for (const key of [...BY_NAME, 'definitions']) {
    const named = changed[key];
    if (typeof named === 'object' && named !== null && !Array.isArray(named)) changed[key] = Object.fromEntries(Object.entries(named).map(([name, part]) => [name, inner(part)]));
  }
  for (const key of LISTED) if (Array.isArray(changed[key])) changed[key] = (changed[key] as unknown[]).map(inner);
  for (const key of SINGLE) if (changed[key] !== undefined) changed[key] = inner(changed[key]);
  return changed;
}
