const PART = /"(?:\\.|[^"\\])*"|[()]|\s+|[^\s()"]+/gs;

/** Conditions of a query that must all hold; with alternatives it is one. */
export function conditionsOf(query: string): readonly string[] {
  const words = [''];
  let depth = 0;
  for (const [part] of query.matchAll(PART)) {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    if (depth === 0 && part.trim() === '') words.push('');
    else words[words.length - 1] += part;
  }
  const conditions = words.filter((word) => word !== '');
  return conditions.some((word) => word === 'OR' || word === 'AND') ? [query] : conditions;
}
