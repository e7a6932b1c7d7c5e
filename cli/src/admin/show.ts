import type { Json } from '@treadle/api';

const PREVIEW = 60;
const UNITS: readonly (readonly [string, number])[] = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1000]];

/** JSON in one line, cut when it is long. */
export function preview(value: Json | undefined, length = PREVIEW): string {
  const text = plain(JSON.stringify(value) ?? '');
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Text of others without what a terminal would obey. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Surrogate}]/gu, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** JSON over several lines, for reading. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null';
}

/** `950 ms`, `12 s`, `3 h`: how long, in the largest unit of which there is one. `-` for none. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return '-';
  const [unit, size] = UNITS.find(([, one]) => ms >= one) ?? ['ms', 1];
  return `${Math.floor(ms / size)} ${unit}`;
}

/** An ISO time in UTC without fractions; `-` for none. */
export function time(iso: string | null | undefined): string {
  return iso ? `${iso.slice(0, 19).replace('T', ' ')}Z` : '-';
}

/** What a subscription without a topic is called. */
export function topicName(topic: string): string {
  return topic === '' ? '(changes)' : topic;
}

/** `--cursor` of the next page, when there is one. */
export function moreLine(cursor: string | undefined): readonly string[] {
  return cursor === undefined ? [] : [`there are more: --cursor ${cursor}`];
}
