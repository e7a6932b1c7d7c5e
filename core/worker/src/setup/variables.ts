type Keyword = (value: never, limit: never) => boolean;
type Plain = Readonly<Record<string, unknown>>;

/** Keywords that say something of a value, with what is wrong otherwise. */
const CHECKS: Readonly<Record<string, readonly [Keyword, (limit: unknown) => string]>> = {
  enum: [(value: unknown, limit: readonly unknown[]) => limit.includes(value), (limit) => `must be one of ${(limit as readonly unknown[]).map((each) => JSON.stringify(each)).join(', ')}`],
  const: [(value: unknown, limit: unknown) => value === limit, (limit) => `must be ${JSON.stringify(limit)}`],
  pattern: [(value: string, limit: string) => new RegExp(limit, 'u').test(value), (limit) => `must match ${String(limit)}`],
  minLength: [(value: string, limit: number) => value.length >= limit, (limit) => `must have ${String(limit)} characters or more`],
  maxLength: [(value: string, limit: number) => value.length <= limit, (limit) => `must have at most ${String(limit)} characters`],
  minimum: [(value: number, limit: number) => value >= limit, (limit) => `must be ${String(limit)} or more`],
  maximum: [(value: number, limit: number) => value <= limit, (limit) => `must be at most ${String(limit)}`],
  format: [(value: string, limit: string) => limit !== 'uri' || isAddress(value), (limit) => `must be a ${limit === 'uri' ? 'URL' : String(limit)}`],
};
const SAYS_NOTHING = ['type', 'default', 'title', 'description', 'examples', '$comment'];
const TYPES = ['string', 'number', 'integer', 'boolean'];

/** What a check of an environment came to. */
export interface CheckedVariables {
  readonly value: Plain;
  /** One sentence for each variable that is missing or wrong; without any value. */
  readonly faults: readonly string[];
}

/** What of a JSON Schema of variables cannot be checked: they are texts, numbers and booleans by name. Undefined: nothing. */
export function unusableVariables(schema: Plain): string | undefined {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, unknown>> };
  if (typeof properties !== 'object' || properties === null) return 'the schema has no "properties": write one for each variable';
  for (const [name, given] of Object.entries(properties)) {
    const member = (given ?? {}) as Plain;
    const { type = 'string' } = member;
    if (!TYPES.includes(type as string)) return `${name}: "type" must be ${TYPES.join(', ')}`;
    const unknown = Object.keys(member).find((key) => !(key in CHECKS) && !SAYS_NOTHING.includes(key));
    if (unknown !== undefined) return `${name}: "${unknown}" is not checked for variables; there are ${Object.keys(CHECKS).join(', ')}`;
  }
  return undefined;
}

/** Checks variables against a JSON Schema that can be used for them; texts become numbers and booleans where it asks for them. */
export function checkVariables(schema: Plain, variables: Plain): CheckedVariables {
  const { properties = {}, required = [] } = schema as { properties?: Readonly<Record<string, Plain>>; required?: readonly string[] };
  const faults: string[] = [];
  const value: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    const given = variables[name] ?? member['default'];
    if (given === undefined) {
      if (required.includes(name)) faults.push(`${name} is not set`);
      continue;
    }
    const made = coerced(given, member['type'] as string | undefined);
    const fault = made === undefined ? `must be ${article(String(member['type']))}` : faultOf(made, member);
    if (fault === undefined) value[name] = made;
    else faults.push(`${name} ${fault}`);
  }
  return { value, faults };
}

function faultOf(value: unknown, member: Plain): string | undefined {
  const broken = Object.entries(CHECKS).find(([key, [holds]]) => member[key] !== undefined && !holds(value as never, member[key] as never));
  return broken?.[1][1](member[broken[0]]);
}

/** Undefined for a text that says nothing of the type. */
function coerced(value: unknown, type: string | undefined): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'boolean') return ({ true: true, 1: true, false: false, 0: false } as Readonly<Record<string, boolean>>)[value];
  if (type !== 'number' && type !== 'integer') return value;
  const number = value.trim() === '' ? NaN : Number(value);
  return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : undefined;
}

const article = (type: string): string => (type === 'integer' ? 'an integer' : type === 'boolean' ? 'true or false' : `a ${type}`);

function isAddress(value: string): boolean {
  try {
    return new URL(value).href !== '';
  } catch {
    return false;
  }
}
