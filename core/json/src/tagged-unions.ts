import { rewriteSchema } from './rewrite-schema.js';
import { partAt } from './schema-parts.js';

type Schema = object | boolean;
type Keywords = Readonly<Record<string, unknown>>;

/**
 * A schema whose unions are decided by a member with a fixed value in each branch, such as `kind`, where they have one: only the branch
 * that is meant is held to the value, which is quicker and finds only its faults. Accepts the same values, unless something in the schema
 * has to know what was evaluated: ajv does not note that of a branch that a member decides for.
 */
export function withTaggedUnions(schema: Schema): Schema {
  return rewriteSchema(schema, (part) => tagged(part, schema)) as Schema;
}

/** What others write for tools decides about nothing here. */
export function withoutDiscriminators(schema: Schema): Schema {
  return rewriteSchema(schema, withoutDiscriminator) as Schema;
}

function withoutDiscriminator(part: Keywords): Keywords {
  if (!('discriminator' in part)) return part;
  const { discriminator: _, ...rest } = part;
  return rest;
}

function tagged(part: Keywords, root: Schema): Keywords {
  const { anyOf, oneOf, type } = part;
  const branches = anyOf ?? oneOf;
  if (!Array.isArray(branches) || branches.length < 2 || (anyOf !== undefined && oneOf !== undefined) || (type !== undefined && type !== 'object')) return part;
  const tag = commonTag(branches.map((branch: unknown) => resolved(branch, root)));
  if (tag === undefined) return part;
  const rest = Object.fromEntries(Object.entries(part).filter(([key]) => key !== 'anyOf'));
  return { ...rest, type: 'object', discriminator: { propertyName: tag }, oneOf: branches };
}

/** A branch itself, or the part of the document that it stands for. */
function resolved(branch: unknown, root: unknown): Keywords | undefined {
  if (typeof branch !== 'object' || branch === null) return undefined;
  const { $ref, ...beside } = branch as Keywords;
  if ($ref === undefined) return branch as Keywords;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/') || Object.keys(beside).length > 0) return undefined;
  const at = partAt($ref, root);
  return typeof at === 'object' && at !== null && !('$ref' in at) ? (at as Keywords) : undefined;
}

/** Name of a member that each branch requires with texts of its own. */
function commonTag(branches: readonly (Keywords | undefined)[]): string | undefined {
  const names = requiredOf(branches[0]);
  return names.find((name) => {
    const texts = branches.map((branch) => (requiredOf(branch).includes(name) ? textsOf(branch, name) : []));
    const all = texts.flat();
    return texts.every((each) => each.length > 0) && new Set(all).size === all.length;
  });
}

const requiredOf = (branch: Keywords | undefined): readonly string[] =>
  branch?.['type'] === 'object' && Array.isArray(branch['required']) ? branch['required'].filter((name) => typeof name === 'string') : [];

function textsOf(branch: Keywords | undefined, name: string): readonly string[] {
  const member = (branch?.['properties'] as Keywords | undefined)?.[name];
  if (typeof member !== 'object' || member === null) return [];
  const { const: single, enum: several } = member as Keywords;
  const texts: readonly unknown[] = Array.isArray(several) ? several : [single];
  return texts.every((text) => typeof text === 'string') ? (texts as readonly string[]) : [];
}
