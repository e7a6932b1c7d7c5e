import { type QueryComparison, QueryError, type QuerySpan } from './query-tree.js';

/** A piece of a query. `glued`: no space between it and the piece before. */
export type QueryToken = QuerySpan & { readonly glued: boolean } & (
  | { readonly kind: '(' | ')' | '-' | ':' | 'or' | 'and' }
  | { readonly kind: 'compare'; readonly comparison: QueryComparison }
  | { readonly kind: 'word'; readonly text: string; readonly quoted: boolean }
);

/** Ends a bare word. A colon does only where a field's name may end: `10:30` in a value is one word. */
const WORD_END = /[\s()":]/;
const VALUE_END = /[\s()"]/;

/** Cuts a query into its pieces. @throws {QueryError} for a quote that is not closed */
export function queryTokens(query: string): readonly QueryToken[] {
  const tokens: QueryToken[] = [];
  for (let at = 0; at < query.length;) {
    if (/\s/.test(query[at] as string)) {
      at += 1;
      continue;
    }
    const token = tokenAt(query, at, tokens.at(-1));
    tokens.push(token);
    at = token.to;
  }
  return tokens;
}

function tokenAt(query: string, from: number, before: QueryToken | undefined): QueryToken {
  const place = (length: number): QuerySpan & { readonly glued: boolean } => ({ from, to: from + length, glued: before?.to === from });
  const first = query[from] as string;
  const afterColon = before?.kind === ':' && before.to === from;
  if (first === '"') return quotedAt(query, from, place);
  if (first === '(' || first === ')') return { kind: first, ...place(1) };
  const compare = /^[<>]=?/.exec(query.slice(from, from + 2))?.[0];
  if (afterColon && compare !== undefined) return { kind: 'compare', comparison: compare as QueryComparison, ...place(compare.length) };
  const inValue = afterColon || (before?.kind === 'compare' && before.to === from);
  if (first === ':' && !inValue) return { kind: ':', ...place(1) };
  const begins = before?.to !== from || before.kind === '(' || before.kind === '-';
  if (first === '-' && begins && !inValue) return { kind: '-', ...place(1) };
  return wordAt(query, from, inValue ? VALUE_END : WORD_END, place);
}

type Place = (length: number) => QuerySpan & { readonly glued: boolean };

function wordAt(query: string, from: number, end: RegExp, place: Place): QueryToken {
  const rest = query.slice(from);
  const found = rest.search(end);
  const text = found < 0 ? rest : rest.slice(0, Math.max(1, found));
  if (text === 'OR') return { kind: 'or', ...place(2) };
  if (text === 'AND') return { kind: 'and', ...place(3) };
  return { kind: 'word', text, quoted: false, ...place(text.length) };
}

/** Within quotes a backslash makes the next character count as it is. */
function quotedAt(query: string, from: number, place: Place): QueryToken {
  let text = '';
  for (let at = from + 1; at < query.length; at += 1) {
    if (query[at] === '"') return { kind: 'word', text, quoted: true, ...place(at + 1 - from) };
    if (query[at] === '\\' && at + 1 < query.length) at += 1;
    text += query[at] as string;
  }
  throw new QueryError('the quote is not closed', { from, to: query.length });
}
