export { parseQuery } from './parse-query.js';
export { valuesAt } from './path-values.js';
export { queryArgument } from './query-argument.js';
export { type QueryTarget, queryTest, type QueryTest } from './query-test.js';
export { type QueryComparison, QueryError, type QueryField, type QueryNode, type QuerySpan } from './query-tree.js';
export { type FieldType } from './query-value.js';
export { matchesWithin, textMatch, type TextMatch } from './text-match.js';
