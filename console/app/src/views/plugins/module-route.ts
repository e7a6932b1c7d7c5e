import type { PluginView } from '../../api/types.generated.js';
import { writeJson } from '../../api/json.js';

const FIELD = /\{([^}]+)\}/g;
const DOTS = /^\.{1,2}$/;

/** The path of a route of the view's module, below `/api/v1`. */
export function moduleRoute({ module }: Pick<PluginView, 'module'>, route: string): `/${string}` {
  return `/modules/${module}${route}`;
}

/** A route with its `{field}`s filled from a row; undefined when the row has no fitting value. */
export function filledRoute(route: string, row: unknown): string | undefined {
  const fields = [...route.matchAll(FIELD)].map(([, field = '']) => [field, fieldText(row, field)] as const);
  // Browsers resolve dots, encoded ones too: they would lead elsewhere.
  if (fields.some(([, text]) => text === '' || DOTS.test(text))) return undefined;
  const values = new Map(fields);
  return route.replaceAll(FIELD, (_, field: string) => encodeURIComponent(values.get(field) ?? ''));
}

function fieldText(row: unknown, field: string): string {
  const value = fieldOf(row, field) ?? '';
  return typeof value === 'string' ? value : writeJson(value);
}

/** The value at a path such as `customer.name`; undefined when it is not there. */
export function fieldOf(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Readonly<Record<string, unknown>>)[name] : undefined), value);
}

/** A text that tells rows apart, whatever their key is. */
export function keyText(row: unknown, key: string): string {
  const value = fieldOf(row, key);
  return typeof value === 'string' ? value : writeJson(value ?? null);
}

/** True when the text stands anywhere in the row. */
export function holds(row: unknown, text: string): boolean {
  return writeJson(row).toLowerCase().includes(text.toLowerCase());
}
