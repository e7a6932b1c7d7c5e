import { SafePattern } from './pattern/safe-pattern.js';
import { charge } from './work-meter.js';

/** A format as ajv takes it: a test, or a test together with the kind of value it is for, or nothing to test. */
type Format = RegExp | ((text: string) => boolean) | { readonly type?: string; readonly validate: RegExp | ((value: never) => boolean) } | boolean;

/** No format of the library takes long for a text so short, which most are; RegExp is a little faster then. */
const SHORT = 64;
/** What holding a short text to a format costs. */
const FORMAT_COST = 20;
/** Longest text that is compiled as a regular expression. */
const MAX_REGEX = 10_000;
/** Before the text is cut into pieces. */
const DATE_AND_TIME = /^\d{4}-\d\d-\d\d[t\s][^t\s]*$/i;

/** How a URI begins: its scheme, and something after it. */
const SCHEME = /^[a-z][a-z0-9+\-.]*:[^?#]/i;

/** What may stand in a line of Base64, of any length: in one loop over one set, for which RegExp needs no stack. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const LINE_ENDS = /[\n\r\u2028\u2029]/;

/** The formats of ajv-formats, each of which answers as it does there, in time that grows with the text alone. */
export function linearFormats(formats: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const linear = Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, linearFormat(name, format as Format)]));
  const { uri, 'uri-reference': reference } = linear as Record<string, ((text: string) => boolean) | undefined>;
  const all = uri && reference ? { ...linear, uri: uriTest(uri, reference) } : linear;
  return Object.fromEntries(Object.entries(all).map(([name, format]) => [name, charged(format)]));
}

function charged(format: unknown): unknown {
  if (typeof format !== 'function') return format;
  return (text: string) => {
    charge(FORMAT_COST);
    return (format as (text: string) => boolean)(text);
  };
}

function linearFormat(name: string, format: Format): unknown {
  if (format instanceof RegExp) return linearTest(format);
  if (name === 'byte') return isBytes;
  if (name === 'regex') return (text: string) => text.length <= MAX_REGEX && (format as (text: string) => boolean)(text);
  if (name !== 'date-time' && name !== 'iso-date-time') return format;
  const { validate } = format as { validate: (text: string) => boolean };
  return (text: string) => (text.length <= SHORT || DATE_AND_TIME.test(text)) && validate(text);
}

function linearTest(format: RegExp): (text: string) => boolean {
  let safe: SafePattern | undefined;
  return (text) => (text.length <= SHORT ? format.test(text) : (safe ??= new SafePattern(format)).test(text));
}

/** The library's own expression is inside a function; it is that of a reference with a scheme and without quotation marks. */
function uriTest(uri: (text: string) => boolean, reference: (text: string) => boolean): (text: string) => boolean {
  return (text) => (text.length <= SHORT ? uri(text) : !text.includes('"') && SCHEME.test(text) && reference(text));
}

/** Some line is Base64 with its padding. */
function isBytes(text: string): boolean {
  return text.split(LINE_ENDS).some((line) => line.length % 4 === 0 && BASE64.test(line));
}
