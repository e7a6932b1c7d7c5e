/** A query with one more condition. Field and value count as they are, whatever they would mean in a query. */
export function withCondition(query: string, field: string, value: string, out = false): string {
  return alsoAsking(query, `${out ? '-' : ''}${asWord(field)}:${asWord(value)}`);
}

/** A query with a condition that must hold, too. It would hold for the last of several alternatives alone. */
export function alsoAsking(query: string, condition: string): string {
  return `${hasAlternatives(query) ? `(${query})` : query} ${condition}`.trim();
}

/** A text as a query has it: in quotes, where only a backslash has a meaning, unless it is a plain word. */
export function asWord(text: string): string {
  return /^(?!(?:OR|AND)$)[\w./@][\w./@-]*$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** Whether there is an `OR` outside of quotes and parentheses. */
function hasAlternatives(query: string): boolean {
  let depth = 0;
  for (const [part] of query.matchAll(/"(?:\\.|[^"\\])*"|[()]|[^\s()"]+/gs)) {
    if (part === 'OR' && depth === 0) return true;
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
  }
  return false;
}
