import { asWord } from '../../parts/with-condition.js';

/** Blanks and what has a meaning in a query. */
const LOOSE = /[^\p{L}\p{N}_.@/-]+/gu;

/** The condition that texts of a pattern fit, e.g. `message:order*failed*after*ms`; undefined for a pattern that any text would fit. */
export function patternCondition(pattern: string, field = 'message'): string | undefined {
  const text = pattern.replaceAll(/<n>|<id>/g, '*').replaceAll(LOOSE, '*');
  return /^\**$/.test(text) ? undefined : `${asWord(field)}:${text.includes('*') ? text : asWord(text)}`;
}
