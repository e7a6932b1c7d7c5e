import { YAMLException } from 'js-yaml';
import { looksSecret, REDACTED } from '../secret-names.js';

const KEY_AND_VALUE = /^(.*?([\w.-]+)["']?[ \t]*:[ \t]+)(\S.*)$/;
/** A line of a PEM block, a token: long, unbroken, letters and digits of the base64 alphabets. Lines are 79 letters at most. */
const LONG_TOKEN = /(?=[A-Za-z+/_=-]*\d)(?=[\d+/_=-]*[A-Za-z])[A-Za-z0-9+/_=-]{20,}/g;
/** js-yaml's line below the culprit. */
const MARK = /^-+\^$/;
/** Would reach the terminal. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** The lines around an offset with a mark below it, as js-yaml prints them; values of keys that look secret are hidden. */
export function snippetAt(source: string, offset: number): string {
  try {
    return YAMLException.throwAt(source, offset, '');
  } catch (error) {
    return hideSecrets((error as YAMLException).mark?.snippet ?? '');
  }
}

/** Hides what looks secret in lines of a configuration file. */
export function hideSecrets(snippet: string): string {
  return snippet.split('\n').map(hideSecret).join('\n');
}

function hideSecret(line: string): string {
  if (MARK.test(line)) return line;
  const [, head, key, value] = KEY_AND_VALUE.exec(line) ?? [];
  const isSecret = key !== undefined && looksSecret(key) && !value?.startsWith('${');
  const safe = isSecret ? `${head}${REDACTED}` : line.replace(LONG_TOKEN, REDACTED);
  return safe.replace(CONTROL, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
