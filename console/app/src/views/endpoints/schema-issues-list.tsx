import css from './endpoints.module.css';
import type { Schema } from './endpoint.js';
import { schemaIssues } from './schema-issues.js';

const MOST_ISSUES = 6;

/** What of a value its schema does not allow, or why that is not known; the first of it. */
export function issuesOf(schema: Schema | undefined, value: unknown, root = 'body'): readonly string[] {
  if (!schema) return [];
  try {
    return schemaIssues(schema, value, root).slice(0, MOST_ISSUES);
  } catch (error) {
    return [`its schema cannot be read here: ${(error as Error).message}`];
  }
}

/** Them as a list; nothing where there are none. `after`: what becomes of it all the same. */
export function Issues({ of, label, after = 'It can be sent all the same.' }: { readonly of: readonly string[]; readonly label: string; readonly after?: string | undefined }) {
  return of.length > 0 && <ul className={css.issue} aria-label={`What the ${label} breaks`}>{of.map((issue) => <li key={issue}>{issue}</li>)}{after !== '' && <li className="muted">{after}</li>}</ul>;
}
