import type { SpanRow } from '../../api/types.generated.js';
import { descendants } from './timeline.js';

/** In front of a part that means a span with all that is below it, folded or unfolded. */
const [ALL_FOLDED, ALL_OPEN] = ['*', '-'];

/**
 * What of a trace is folded, as it stands in the address: parts with a dot between them, each of which changes what those before it have left. `3` leaves
 * so many levels open; `<span>` turns that span; `*<span>` folds it and all that is below, `-<span>` unfolds them.
 */
export function foldedBy(text: string, rows: readonly SpanRow[]): ReadonlySet<string> {
  let folded = new Set<string>();
  for (const part of text === '' ? [] : text.split('.')) {
    if (/^[1-9]$/.test(part)) folded = new Set(rows.filter((row) => row.children > 0 && row.depth >= Number(part) - 1).map(({ spanId }) => spanId));
    else if (part.startsWith(ALL_FOLDED) || part.startsWith(ALL_OPEN)) for (const id of parentsBelow(rows, part.slice(1))) folded[part.startsWith(ALL_FOLDED) ? 'add' : 'delete'](id);
    else if (!folded.delete(part)) folded.add(part);
  }
  return folded;
}

/** Turned twice it is as it was. */
export function withTurned(text: string, spanId: string): string {
  const parts = text.split('.');
  return parts.at(-1) === spanId ? parts.slice(0, -1).join('.') : joined(text, spanId);
}

/** What was said of the same spans before counts no longer. */
export function withBelow(text: string, spanId: string, { folded, rows }: { readonly folded: boolean; readonly rows: readonly SpanRow[] }): string {
  const meant = new Set(parentsBelow(rows, spanId));
  const others = text.split('.').filter((part) => !meant.has(part.replace(/^[*-]/, '')));
  return joined(others.join('.'), `${folded ? ALL_FOLDED : ALL_OPEN}${spanId}`);
}

function parentsBelow(rows: readonly SpanRow[], spanId: string): readonly string[] {
  if (!rows.some((row) => row.spanId === spanId)) return [];
  return descendants(rows, spanId).filter(({ children }) => children > 0).map((row) => row.spanId);
}

const joined = (text: string, part: string): string => (text === '' ? part : `${text}.${part}`);
