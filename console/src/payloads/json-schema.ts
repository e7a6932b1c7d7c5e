const COMPONENT = '#/components/schemas/';

/** What is looked at of a schema: those that are made from the types in `src/contract` have no other words that count here. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema | readonly JsonSchema[];
  /** `all`: what is there is a payload. `query`: what follows `?` in the text is one. */
  readonly 'x-payload'?: string;
}

/** The components of a document, by their names. */
export type Components = Readonly<Record<string, JsonSchema>>;

/** A schema without `$ref`. What no component is named stays unknown: nothing is said of it. */
export function resolved({ $ref, ...rest }: JsonSchema, components: Components): JsonSchema {
  return $ref === undefined ? rest : { ...resolved(components[$ref.slice(COMPONENT.length)] ?? {}, components), ...rest };
}

/** Whether a value has the form that a schema says, all the way down. A schema that says nothing fits nothing. */
export function fits(schema: JsonSchema, value: unknown, components: Components): boolean {
  const { const: only, enum: some, anyOf, type, ...rest } = resolved(schema, components);
  if (only !== undefined) return value === only;
  if (some) return some.includes(value);
  if (anyOf) return anyOf.some((one) => fits(one, value, components));
  if (!hasType(type, value)) return false;
  if (Array.isArray(value)) return value.every((item, at) => fits(itemSchema(rest, at), item, components));
  return typeof value !== 'object' || value === null || membersFit(rest, value as Readonly<Record<string, unknown>>, components);
}

/** The schema of a member; one that says nothing where the object has none of that name. */
export function memberSchema({ properties = {}, additionalProperties }: JsonSchema, name: string): JsonSchema {
  if (Object.hasOwn(properties, name)) return properties[name] as JsonSchema;
  return typeof additionalProperties === 'object' ? additionalProperties : {};
}

/** The schema of an item; one that says nothing for those that a list should not have. */
export function itemSchema({ items = {} }: JsonSchema, at: number): JsonSchema {
  return Array.isArray(items) ? (items as readonly JsonSchema[])[at] ?? {} : items as JsonSchema;
}

/** Whether a value is of one of the types; never without one. */
export function hasType(type: JsonSchema['type'], value: unknown): boolean {
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return [type].flat().some((one) => one === own || (one === 'integer' && Number.isInteger(value)));
}

function membersFit(schema: JsonSchema, value: Readonly<Record<string, unknown>>, components: Components): boolean {
  if (!(schema.required ?? []).every((name) => value[name] !== undefined)) return false;
  return Object.entries(value).every(([name, member]) => member === undefined || fits(memberSchema(schema, name), member, components));
}
