import { type ConfigSchema, nearest } from '@treadle/api';
import { didYouMean, type Finding, shown } from './finding.js';

/** What is checked and how it is called in messages. */
export interface Subject {
  /** Path inside the Step's config, e.g. `triggers[0]`. */
  readonly path: string;
  /** e.g. `an http trigger`. */
  readonly owner: string;
}

type Check = (value: unknown, schema: ConfigSchema, subject: Subject) => readonly Finding[];

/**
 * Checks a value against the draft-07 keywords that `ConfigSchema` knows. Not by ajv: the keywords are few, a finding says what to write
 * instead, and loading ajv takes a third of the engine's start. The README of `@treadle/json` lists who else reads schemas.
 */
export function checkSchema(value: unknown, schema: ConfigSchema, subject: Subject): readonly Finding[] {
  const typed = checkType(value, schema, subject);
  if (typed.length > 0) return typed;
  return CHECKS.flatMap((check) => check(value, schema, subject));
}

const CHECKS: readonly Check[] = [checkChoice, checkNumber, checkText, checkItems, checkKeys, checkAlternatives];

/** Draft-07 type names of a value. */
function typesOf(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}

function checkType(value: unknown, schema: ConfigSchema, subject: Subject): readonly Finding[] {
  if (schema.type === undefined) return [];
  const allowed = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (typesOf(value).some((type) => allowed.includes(type))) return [];
  return [badValue(subject, `expected ${allowed.join(' or ')}, got ${shown(value)}`, `write ${article(allowed[0] ?? 'value')}`)];
}

function checkChoice(value: unknown, schema: ConfigSchema, subject: Subject): readonly Finding[] {
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (!choices || choices.some((choice) => JSON.stringify(choice) === JSON.stringify(value))) return [];
  const list = choices.map((choice) => (typeof choice === 'string' ? choice : shown(choice))).join(', ');
  const near = typeof value === 'string' ? nearest(value, choices.filter((c) => typeof c === 'string')) : undefined;
  return [badValue(subject, `expected ${choices.length === 1 ? list : `one of ${list}`}, got ${shown(value)}`,
    didYouMean(near, 'use one of these'))];
}

function checkNumber(value: unknown, schema: ConfigSchema, subject: Subject): readonly Finding[] {
  if (typeof value !== 'number') return [];
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (value < minimum) return [badValue(subject, `must be >= ${minimum}; got ${value}`, `use ${minimum} or more`)];
  if (value > maximum) return [badValue(subject, `must be <= ${maximum}; got ${value}`, `use ${maximum} or less`)];
  return [];
}

function checkText(value: unknown, schema: ConfigSchema, subject: Subject): readonly Finding[] {
  if (typeof value !== 'string') return [];
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  if (value === '' && minLength > 0) return [badValue(subject, 'must not be empty', 'write something')];
  if (value.length < minLength) return [badValue(subject, `must have at least ${minLength} characters`, 'make it longer')];
  if (value.length > maxLength) return [badValue(subject, `must have at most ${maxLength} characters`, 'make it shorter')];
  if (pattern === undefined || new RegExp(pattern, 'u').test(value)) return [];
  return [badValue(subject, `must match ${pattern}; got ${shown(value)}`, 'write it in this form')];
}

function checkItems(value: unknown, schema: ConfigSchema, subject: Subject): readonly Finding[] {
  if (!Array.isArray(value)) return [];
  const { minItems = 0, maxItems = Infinity, items } = schema;
  if (value.length < minItems) return [badValue(subject, `must have at least ${minItems} items`, 'add some')];
  if (value.length > maxItems) return [badValue(subject, `must have at most ${maxItems} items`, 'remove some')];
  if (!items) return [];
  return value.flatMap((item, index) => checkSchema(item, items, { ...subject, path: `${subject.path}[${index}]` }));
}

function checkKeys(value: unknown, schema: ConfigSchema, subject: Subject): readonly Finding[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const known = schema.properties ?? {};
  const missing = (schema.required ?? []).filter((key) => !Object.hasOwn(value, key));
  const findings: Finding[] = missing.map((key) => ({
    code: 'STEP_MISSING_KEY', message: `${subject.path}: ${subject.owner} needs "${key}"`, remedy: `add "${key}"`,
  }));
  for (const [key, item] of Object.entries(value)) {
    const at = { ...subject, path: `${subject.path}.${key}` };
    const rule = Object.hasOwn(known, key) ? known[key] : schema.additionalProperties;
    if (rule === false) findings.push(misplacedKey(subject, key, known) ?? unknownKey(subject, key, Object.keys(known)));
    else if (typeof rule === 'object') findings.push(...checkSchema(item, rule, at));
  }
  return findings;
}

function checkAlternatives(value: unknown, schema: ConfigSchema, subject: Subject): readonly Finding[] {
  const check = (one: ConfigSchema): readonly Finding[] => checkSchema(value, one, subject);
  const findings = (schema.allOf ?? []).flatMap(check);
  for (const choices of [schema.anyOf, schema.oneOf]) {
    const tried = (choices ?? []).map(check).sort((a, b) => a.length - b.length);
    if (tried[0] && tried[0].length > 0) findings.push(...tried[0]);
  }
  if (schema.not && check(schema.not).length === 0) {
    findings.push(badValue(subject, `${shown(value)} is not allowed here`, 'change it'));
  }
  const branch = schema.if && (check(schema.if).length === 0 ? schema.then : schema.else);
  return branch ? [...findings, ...check(branch)] : findings;
}

/** The finding for a key of one of the objects inside, written a level too high. */
function misplacedKey(subject: Subject, key: string, known: Readonly<Record<string, ConfigSchema>>): Finding | undefined {
  const holder = Object.keys(known).find((name) => Object.hasOwn(known[name]?.properties ?? {}, key));
  return holder === undefined ? undefined : { ...unknownKey(subject, key, []), remedy: `write it inside "${holder}"` };
}

/** The finding for a key that nobody knows. */
export function unknownKey(subject: Subject, key: string, known: readonly string[]): Finding {
  return {
    code: 'STEP_UNKNOWN_KEY', message: `${subject.path}: ${subject.owner} has no key "${key}"`,
    remedy: didYouMean(nearest(key, known), `known keys: ${known.join(', ')}`),
  };
}

/** The finding for a value of the wrong type or outside its range. */
export function badValue(subject: Subject, problem: string, remedy: string): Finding {
  return { code: 'STEP_BAD_VALUE', message: `${subject.path}: ${problem}`, remedy };
}

function article(noun: string): string {
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
