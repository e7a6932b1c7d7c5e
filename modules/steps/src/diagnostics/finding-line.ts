import type { Finding } from './finding.js';

/**
 * The line in a Step file that a finding is about, from 1: where what it quotes is written, else the key that it names. `from` is the line
 * of the config, which it stays at when neither is found, such as a value that is worked out elsewhere.
 */
export function findingLine({ code, message }: Finding, source: string, from = 1): number {
  const lines = source.split('\n').slice(from - 1);
  for (const needle of needles(code, message)) {
    const index = lines.findIndex((line) => needle.test(line));
    if (index !== -1) return from + index;
  }
  return from;
}

/** What to look for, the most telling first. */
function needles(code: string, message: string): readonly RegExp[] {
  const path = /^(?:config|(?=triggers\[))((?:\.?\w+|\[\d+\])*)/.exec(message)?.[1];
  if (path === undefined) return [];
  const route = code === 'STEP_DUPLICATE_TRIGGER' ? /(\S+) is served already/.exec(message)?.[1] : undefined;
  if (route !== undefined) return [written(escaped(route))];
  const keys = path.split('.').map((key) => key.replace(/\[\d+\]/g, '')).filter((key) => key !== '').reverse();
  // A missing key is not to be found, whatever else bears its name.
  const quoted = code === 'STEP_MISSING_KEY' ? [] : [...message.matchAll(/"([^"\n]{1,200})"/g)].map(([, text = '']) => text);
  // Whose key it is is said first, and written elsewhere as well.
  if (code === 'STEP_UNKNOWN_KEY') quoted.reverse();
  return [...quoted.flatMap((text) => [written(escaped(text)), written(asWritten(escaped(text)))]), ...keys.map((key) => new RegExp(`\\b${asWritten(key)}\\b`))];
}

/** A pattern as a whole: a value between quotes, or a key. */
function written(pattern: string): RegExp {
  return new RegExp(`(?<![\\w-])${pattern}(?![\\w-])`);
}

/** Python may write keys in snake_case. */
function asWritten(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `(?:${letter}|_${letter.toLowerCase()})`);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
