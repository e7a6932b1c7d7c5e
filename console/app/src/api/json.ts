import { LosslessNumber, parse, stringify } from 'lossless-json';
import type { JsonValue } from './types.generated.js';

/** Numbers that JavaScript shows digit for digit become numbers, all others keep their text. */
const exactNumber = (text: string): number | LosslessNumber => (String(Number(text)) === text ? Number(text) : new LosslessNumber(text));

/** Only these numbers may be shown otherwise than they are stored: of 16 digits and more, fractions that end in 0, exponents, small ones, -0. */
const RISKY = /(?:^|[:[,])\s*(-?\d[\d.]{15,}(?:[eE][-+]?\d+)?|-?\d+\.\d*0(?!\d)|-?\d+(?:\.\d+)?[eE][-+]?\d+|-?0\.0{6}\d*|-0(?![.\d]))/g;

/** Texts of so many characters are looked through in one task and read in another. */
const LONG = 500_000;

/** Reads JSON without changing a digit: `isNumber` tells its numbers, `writeJson` writes them as they were. @throws SyntaxError with the place of the fault */
export function readJson(text: string): JsonValue {
  return read(text, losesDigits(text));
}

/** The same of a text that may be megabytes long: the page may answer in between. */
export async function readLongJson(text: string): Promise<JsonValue> {
  const exactly = losesDigits(text);
  if (text.length >= LONG) await new Promise((resolve) => setTimeout(resolve, 0));
  return read(text, exactly);
}

function read(text: string, exactly: boolean): JsonValue {
  return (exactly ? parse(text, undefined, { parseNumber: exactNumber }) : JSON.parse(text)) as JsonValue;
}

/** Whether JavaScript writes a number otherwise; texts inside may look so too. */
function losesDigits(text: string): boolean {
  for (const [, number] of text.matchAll(RISKY)) if (String(Number(number)) !== number) return true;
  return false;
}

/** Writes JSON, numbers as they were read. */
export function writeJson(value: unknown, indent?: number): string {
  return stringify(value, undefined, indent) ?? 'null';
}

export function isNumber(value: unknown): value is number | LosslessNumber {
  return typeof value === 'number' || value instanceof LosslessNumber;
}

/** An object or array, but no number that keeps its text. */
export function isTree(value: unknown): value is Readonly<Record<string, unknown>> | readonly unknown[] {
  return typeof value === 'object' && value !== null && !(value instanceof LosslessNumber);
}
