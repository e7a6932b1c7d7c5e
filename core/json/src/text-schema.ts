import { rewriteSchema } from './rewrite-schema.js';
import { partAt } from './schema-parts.js';

type Schema = object | boolean;
type Keywords = Readonly<Record<string, unknown>>;

/**
 * A schema that takes the same values, for a check that makes of texts what is asked for, option after option: options of different types
 * exclude each other already, a list comes before one text of it, and fixed values have a type.
 */
export function forTexts(schema: Schema): Schema {
  return rewriteSchema(schema, (part) => withTypeOfValues(withOrderedOptions(part, schema))) as Schema;
}

function withOrderedOptions(part: Keywords, root: Schema): Keywords {
  const { anyOf, oneOf, ...rest } = part;
  if ((anyOf === undefined) === (oneOf === undefined)) return part;
  const options = anyOf ?? oneOf;
  if (!Array.isArray(options)) return part;
  const types = options.map((option: unknown) => typesOf(option, root));
  if (oneOf !== undefined && new Set(types.flat()).size < types.flat().length + types.filter((each) => each.length === 0).length) return part;
  const isList = (index: number): boolean => types[index]?.includes('array') === true;
  const order = [...options.keys()].sort((a, b) => Number(isList(b)) - Number(isList(a)));
  return { ...rest, anyOf: order.map((index) => options[index] as unknown) };
}

/** None: not known. */
function typesOf(option: unknown, root: Schema): readonly string[] {
  if (typeof option !== 'object' || option === null) return [];
  const { $ref, type } = withTypeOfValues(option as Keywords);
  if (typeof $ref === 'string') {
    const target = partAt($ref, root);
    return typeof target === 'object' && target !== null && !('$ref' in target) ? typesOf(target, root) : [];
  }
  const all = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  return [...new Set(all.map((one) => (one === 'integer' ? 'number' : one)))];
}

function withTypeOfValues(part: Keywords): Keywords {
  const values: readonly unknown[] = 'const' in part ? [part['const']] : Array.isArray(part['enum']) ? part['enum'] : [];
  const [type, ...others] = [...new Set(values.map((value) => typeof value))];
  return part['type'] === undefined && others.length === 0 && (type === 'number' || type === 'boolean') ? { type, ...part } : part;
}
