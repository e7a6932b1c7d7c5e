import { looksSecret, REDACTED } from './secret-names.js';

/** Variables that hold keys, although the word alone may mean something else. */
const KEY_VARIABLE = /_(?:KEY|PASS|PWD|PASSPHRASE|SALT)$/i;
/** Folders that every shell tells, whatever else `pwd` is short for. */
const FOLDER_VARIABLE = /^(?:OLD)?PWD$/;
/** What is shorter, or only one word or number, is found in texts that have nothing to do with the secret. */
const LEAST_LENGTH = 8;
const ORDINARY = /^(?:[a-z]{1,15}|\d{1,11})$/i;
const MOST_LENGTH = 4096;
const MOST_VALUES = 500;
const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;

let values: ReadonlySet<string> = new Set();
let pattern: RegExp | undefined;

/**
 * Makes `redactText` hide the values of these environment variables wherever they occur, as far as their names say that they
 * are secrets. Adds to what is known; the values of a process stay secret for its life.
 */
export function learnSecrets(env: Readonly<Record<string, string | undefined>>): void {
  const found = Object.entries(env).filter(([name]) => isSecret(name)).flatMap(([, value]) => formsOf(value ?? ''));
  if (found.length === 0) return;
  values = new Set([...values, ...found].slice(0, MOST_VALUES));
  // The longest first: one may be the beginning of another.
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  pattern = new RegExp(longestFirst.map((value) => value.replace(SPECIAL, '\\$&')).join('|'), 'g');
}

/** The text without values that were learned. */
export function withoutKnownSecrets(text: string): string {
  return pattern === undefined ? text : text.replace(pattern, REDACTED);
}

function isSecret(name: string): boolean {
  return !FOLDER_VARIABLE.test(name) && (looksSecret(name) || KEY_VARIABLE.test(name));
}

/** As it is, as a part of a URL, and as a part of JSON. */
function formsOf(value: string): readonly string[] {
  const secret = value.trim().slice(0, MOST_LENGTH);
  if (secret.length < LEAST_LENGTH || ORDINARY.test(secret)) return [];
  return [secret, encoded(secret), JSON.stringify(secret).slice(1, -1)];
}

function encoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // half of a character: no URL can hold it
  }
}
