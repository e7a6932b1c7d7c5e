import { createRequire } from 'node:module';
import { CompilerKeywords, type KeywordTable } from './compiler-keywords.js';
import { checkedSchema } from './library-schema.js';
import { linearFormats } from './linear-formats.js';
import { SafePattern } from './pattern/safe-pattern.js';
import { refuseNonSchemas } from './subschemas.js';
import { withoutDiscriminators, withTaggedUnions } from './tagged-unions.js';
import { forTexts } from './text-schema.js';

/** One finding of ajv; only what is used of it. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  /** Place of the keyword in the schema. */
  readonly schemaPath: string;
  /** Set when it is about the name of a property. */
  readonly propertyName?: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A compiled schema: true, or false with `errors` set until the next call. */
export interface SchemaFunction {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** Stops at the first finding, or collects them all; `query` turns strings into the types asked for. */
export type SchemaMode = 'first' | 'all' | 'query' | 'query-all';

interface Compiler extends KeywordTable {
  readonly opts: { unevaluated?: boolean; ownProperties?: boolean };
  compile(schema: object | boolean): SchemaFunction;
  removeSchema(schema: object | boolean): void;
  addFormat(name: string, format: unknown): void;
}

const load = createRequire(import.meta.url);
const compilers = new Map<SchemaMode, { readonly compiler: Compiler; readonly keywords: CompilerKeywords }>();
const compiled: Record<SchemaMode, WeakMap<object, SchemaFunction>> = {
  first: new WeakMap(), all: new WeakMap(), query: new WeakMap(), 'query-all': new WeakMap(),
};

/**
 * Compiles a JSON Schema 2020-12; ajv is loaded by the first call. The same schema object is compiled once, so that
 * checking a trigger and binding it costs one compilation.
 * @throws Error when ajv cannot compile it
 */
export function compileSchema(schema: object | boolean, mode: SchemaMode): SchemaFunction {
  const cache = compiled[mode];
  const key = typeof schema === 'object' ? schema : undefined;
  const known = key && cache.get(key);
  if (known) return known;
  refuseNonSchemas(schema);
  const { compiler, keywords } = compilerFor(mode);
  const meant = withoutDialect(withoutDiscriminators(checkedSchema(schema)));
  const checked = isOfTexts(mode) ? forTexts(meant) : meant;
  // Who has to know what was evaluated tries all options of a union, others none after one that fits.
  const unevaluated = hasKeyword(checked, /"unevaluated(?:Items|Properties)":/);
  const plain = unevaluated ? checked : withTaggedUnions(checked);
  keywords.isMetered = collects(mode) || hasKeyword(plain, REPEATS);
  // Looking only at own members costs time; it matters where a member has the name of one that every object inherits.
  Object.assign(compiler.opts, { unevaluated, ownProperties: hasKeyword(plain, INHERITED) });
  const validate = compileOnce(compiler, plain);
  if (key) cache.set(key, validate);
  return validate;
}

function compileOnce(compiler: Compiler, schema: object | boolean): SchemaFunction {
  try {
    return compiler.compile(schema);
  } finally {
    // ajv keeps every schema for ever otherwise; the function works without it.
    if (typeof schema === 'object') compiler.removeSchema(schema);
  }
}

function compilerFor(mode: SchemaMode): { readonly compiler: Compiler; readonly keywords: CompilerKeywords } {
  const known = compilers.get(mode);
  if (known) return known;
  const { Ajv2020, _ } = load('ajv/dist/2020') as { Ajv2020: new (options: object) => Compiler; _: () => object };
  const { fullFormats } = load('ajv-formats/dist/formats') as { fullFormats: Record<string, unknown> };
  const compiler = new Ajv2020({
    // Users' schemas come from generators with keywords of their own; `strict` is for authors of schemas by hand.
    strict: false, logger: false, validateFormats: true,
    // Compiling refuses what the meta-schema would, without the price of compiling that first.
    validateSchema: false,
    // Of unions that are decided by a member.
    discriminator: true,
    allErrors: collects(mode), coerceTypes: isOfTexts(mode) && 'array',
    code: { regExp: Object.assign((source: string, flags: string) => new SafePattern(new RegExp(source, flags)), { code: 'new RegExp' }) },
  });
  for (const [name, format] of Object.entries(linearFormats(fullFormats))) compiler.addFormat(name, format);
  const made = { compiler, keywords: new CompilerKeywords(compiler, _, collects(mode)) };
  compilers.set(mode, made);
  return made;
}

const isOfTexts = (mode: SchemaMode): boolean => mode === 'query' || mode === 'query-all';
const collects = (mode: SchemaMode): boolean => mode === 'all' || mode === 'query-all';

/** Keywords by which a part of a schema may be gone through more than once; without them a value costs no more than the schema is large, and need not be metered. */
const REPEATS = /"(?:\$ref|\$dynamicRef|\$recursiveRef|anyOf|oneOf|allOf|contains|not|if|dependentSchemas|items|additionalProperties|patternProperties|propertyNames|unevaluatedItems|unevaluatedProperties)":(?!false|true)/;

/** Names of members that every object inherits. */
const INHERITED = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})"`);

const hasKeyword = (schema: object | boolean, keyword: RegExp): boolean => keyword.test(JSON.stringify(schema));

/** Another dialect's `$schema` would be refused although nearly all of its schemas mean the same in 2020-12. */
function withoutDialect(schema: object | boolean): object | boolean {
  if (typeof schema === 'boolean' || !('$schema' in schema)) return schema;
  const copy: Record<string, unknown> = { ...schema };
  delete copy['$schema'];
  return copy;
}
