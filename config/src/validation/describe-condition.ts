import type { ConfigSchema } from '@treadle/api';
import { keyPath } from '../located.js';
import type { PlaceKey } from './place.js';

/**
 * When a rule of a schema applies, in words: `store_method is "file_based"`. Found from ajv's path to the rule;
 * undefined for a rule that always applies or whose condition has no short form.
 */
export function describeCondition(schema: ConfigSchema, rulePath: string, place: PlaceKey): string | undefined {
  let current: unknown = schema;
  let condition: string | undefined;
  for (const segment of rulePath.split('/').slice(1)) {
    const { if: guard } = current as ConfigSchema;
    if (guard && (segment === 'then' || segment === 'else')) condition = inWords(guard, segment === 'then', place);
    current = (current as Record<string, unknown>)[unescapePointer(segment)];
    if (typeof current !== 'object' || current === null) break;
  }
  return condition;
}

/** A part of a JSON pointer in a URI fragment, as ajv writes it. */
function unescapePointer(segment: string): string {
  return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
}

function inWords(guard: ConfigSchema, holds: boolean, place: PlaceKey): string | undefined {
  const { properties = {}, required = [] } = guard;
  const aboutValues = Object.entries(properties).map(([key, schema]) => aboutValue(keyPath(place, key), schema, holds));
  const presence = required.filter((key) => !Object.hasOwn(properties, key));
  const all = [...aboutValues, ...presence.map((key) => `${keyPath(place, key)} is ${holds ? '' : 'not '}set`)];
  const isClear = all.length > 0 && all.every((text) => text !== undefined) && (holds || all.length === 1);
  return isClear ? all.join(' and ') : undefined;
}

function aboutValue(key: string, schema: ConfigSchema, holds: boolean): string | undefined {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (values.length === 0) return undefined;
  const listed = values.map((value) => JSON.stringify(value)).join(holds ? ' or ' : ' nor ');
  return `${key} is ${holds ? '' : 'not '}${listed}`;
}
