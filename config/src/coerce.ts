import { plainValue } from './parsing/scalar-value.js';

/** Types of JSON Schema. */
export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** The typed value, or what the text would have to be: `an integer`. */
export type Coerced = { readonly value: string | number | boolean | null } | { readonly must: string };

const INTEGER = /^[-+]?\d+$/;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true, True: true, TRUE: true, false: false, False: false, FALSE: false,
};
const NULLS: readonly string[] = ['', '~', 'null', 'Null', 'NULL'];

const READERS: readonly [JsonType, string, (text: string) => string | number | boolean | null | undefined][] = [
  ['integer', 'an integer', (text) => (INTEGER.test(text) ? safeInteger(Number(text)) : undefined)],
  ['number', 'a number', (text) => (NUMBER.test(text) ? finite(Number(text)) : undefined)],
  ['boolean', 'true or false', (text) => (Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined)],
  ['string', 'text', (text) => text],
  ['null', 'null', (text) => (NULLS.includes(text) ? null : undefined)],
  ['array', 'a list, which a variable cannot give', () => undefined],
  ['object', 'a map, which a variable cannot give', () => undefined],
];

/**
 * Stage 6: gives a variable's text the type that the schema asks for. Of several types the strictest that the text
 * fits is taken; `0123` stays text for a string. Without types, unquoted text means what it would mean in YAML.
 */
export function coerceText(text: string, types: ReadonlySet<JsonType>, plain: boolean): Coerced {
  if (types.size === 0) return { value: plain ? plainValue(text) : text };
  const allowed = READERS.filter(([type]) => types.has(type));
  for (const [, , read] of allowed) {
    const value = read(text);
    if (value !== undefined) return { value };
  }
  return { must: allowed.map(([, must]) => must).join(' or ') };
}

function safeInteger(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
