import { type Components, fits, hasType, itemSchema, type JsonSchema, memberSchema, resolved } from './json-schema.js';
import { WITHHELD } from './stand-in.js';

/** Says in an object that stand-ins are in it. */
const MARK = 'withheld';

/**
 * An answer as it is for those who see no payloads. Kept is only what its schema knows to be none: stand-ins are in place of what has `x-payload`, of what has
 * another form than the schema says, and of all that it says nothing of.
 */
export function withoutPayloads(schema: JsonSchema, value: unknown, components: Components): unknown {
  const { anyOf, 'x-payload': payload, ...rest } = resolved(schema, components);
  if (payload === 'query' && typeof value === 'string') return withoutQuery(value);
  if (payload !== undefined) return WITHHELD;
  if (anyOf) {
    const form = anyOf.find((one) => fits(one, value, components));
    return form ? withoutPayloads(form, value, components) : WITHHELD;
  }
  if (!hasType(rest.type ?? typeof (rest.const ?? rest.enum?.[0]), value)) return WITHHELD;
  if (Array.isArray(value)) return value.map((item, at) => withoutPayloads(itemSchema(rest, at), item, components));
  return typeof value === 'object' && value !== null ? members(rest, value, components) : value;
}

function members(schema: JsonSchema, value: object, components: Components): object {
  const shown = Object.entries(value).filter(([, member]) => member !== undefined).map(([name, member]) => [name, withoutPayloads(memberSchema(schema, name), member, components)] as const);
  return { ...Object.fromEntries(shown), ...schema.properties?.[MARK] && { [MARK]: true } };
}

function withoutQuery(address: string): string {
  const at = address.indexOf('?');
  return at < 0 ? address : `${address.slice(0, at + 1)}${WITHHELD}`;
}
