/** Blanks and what has a meaning in a query. */
const LOOSE = /[^\p{L}\p{N}_.@/-]+/gu;

/** The condition that lines of a pattern fit, e.g. `message:order*failed*after*ms`; undefined for a pattern that any line would fit. */
export function patternCondition(pattern: string): string | undefined {
  const text = pattern.replaceAll(/<n>|<id>/g, '*').replaceAll(LOOSE, '*');
  return /^\**$/.test(text) ? undefined : `message:${text}`;
}
