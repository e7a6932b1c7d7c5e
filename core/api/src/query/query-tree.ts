/** Characters of a query; `to` is excluded. */
export interface QuerySpan {
  readonly from: number;
  readonly to: number;
}

/** How a value is compared. */
export type QueryComparison = '=' | '>' | '>=' | '<' | '<=';

/** A query as a tree. */
export type QueryNode =
  | { readonly type: 'and' | 'or'; readonly parts: readonly QueryNode[] }
  | { readonly type: 'not'; readonly part: QueryNode }
  /** The text occurs somewhere. */
  | ({ readonly type: 'text'; readonly text: string } & QuerySpan)
  | ({ readonly type: 'has'; readonly field: string } & QuerySpan)
  | QueryField;

/** A condition on a field. */
export interface QueryField extends QuerySpan {
  readonly type: 'field';
  readonly field: string;
  readonly comparison: QueryComparison;
  readonly value: string;
  /** Where the value stands. */
  readonly valueAt: QuerySpan;
  /** In quotes: then neither `*` nor `5xx` mean anything else. */
  readonly quoted: boolean;
}

/** What of a query cannot be read, and where it stands. */
export class QueryError extends Error {
  constructor(message: string, readonly at: QuerySpan) {
    super(message);
    this.name = 'QueryError';
  }
}
