/** What of a zod 4 schema says how it judges. */
export interface Zod4Schema {
  readonly _zod: {
    readonly def: Definition;
    /** Set when the schema makes something of an absent value. */
    readonly optin?: unknown;
  };
}

interface Definition extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
}

interface Check extends Readonly<Record<string, unknown>> {
  readonly check: string;
}

type Lax = true | readonly string[];

/** Keywords in which zod writes what checks of strings and numbers want. */
const LIMITS = ['format', 'pattern', 'allOf', 'minLength', 'maxLength'];

/**
 * Keywords of the JSON Schema of one part that refuse values which zod takes: `true` for all of them. Formats are among them, because
 * zod and JSON Schema name different sets of strings alike.
 */
export function laxKeywords({ _zod: { def } }: Zod4Schema, written: Readonly<Record<string, unknown>>): Lax | undefined {
  if (def['coerce'] === true || def.type === 'catch' || def.type === 'file' || isPreprocessed(def)) return true;
  // Members of either side are known to zod, and to JSON Schema only those of its own.
  if (def.type === 'intersection') return ['allOf'];
  if (def.type === 'string') return laxOfString(def, written);
  return def.type === 'number' && checksOf(def).some(isFraction) ? ['multipleOf'] : undefined;
}

/** `z.preprocess`, which is not told from other pipes by its name. */
const isPreprocessed = ({ type, in: first }: Definition): boolean => type === 'pipe' && (first as Zod4Schema | undefined)?._zod.def.type === 'transform';

function laxOfString(def: Definition, written: Readonly<Record<string, unknown>>): Lax | undefined {
  const checks = checksOf(def);
  // Trimmed or turned into small letters before the next check looks at it.
  if (checks.some(({ check }) => check === 'overwrite')) return LIMITS;
  const patterns = checks.map(({ pattern }) => pattern).filter((pattern) => pattern instanceof RegExp);
  if (patterns.some(({ flags }) => /[ims]/.test(flags))) return ['format', 'pattern', 'allOf'];
  return 'format' in written || 'allOf' in written || 'contentEncoding' in written ? ['format'] : undefined;
}

/** JSON Schema divides without allowing for how numbers are kept: 0.3 is no multiple of 0.1 there. */
const isFraction = ({ check, value }: Check): boolean => check === 'multiple_of' && !Number.isInteger(value);

/** The checks of a part; a format such as `z.email()` is one itself. */
function checksOf(def: Definition): readonly Check[] {
  const own = (def.checks ?? []).map(({ _zod }) => _zod.def);
  return typeof def['check'] === 'string' ? [def as unknown as Check, ...own] : own;
}

/** Kinds of schemas that JSON Schema says in full. */
const PLAIN: ReadonlySet<string> = new Set([
  'string', 'number', 'boolean', 'null', 'literal', 'enum', 'object', 'array', 'tuple', 'record', 'union', 'optional', 'nullable', 'default', 'prefault',
  'readonly', 'lazy', 'any', 'unknown',
]);
/** Checks that JSON Schema says in full; it counts the length of strings otherwise than zod does. */
const PLAIN_CHECKS: ReadonlySet<string> = new Set(['greater_than', 'less_than', 'multiple_of', 'number_format']);

/** True when the JSON Schema of this part takes nothing that zod would refuse. */
export function isExact({ _zod: { def } }: Zod4Schema): boolean {
  return PLAIN.has(def.type) && checksOf(def).every((check) => isPlainCheck(def, check));
}

function isPlainCheck(def: Definition, { check, minimum }: Check): boolean {
  if (def.type === 'string') return check === 'min_length' && Number(minimum) <= 1;
  return PLAIN_CHECKS.has(check) || (def.type === 'array' && (check === 'min_length' || check === 'max_length'));
}
