import { AdminError, QueryError, type QueryTarget, queryTest, type QueryTest } from '@treadle/api';

/** The query that a request has; undefined without one. @throws {AdminError} 400 `invalid_query` with the characters that are wrong */
export function queryArgument<T>(query: string | undefined, target: QueryTarget<T>): QueryTest<T> | undefined {
  if (query === undefined || query.trim() === '') return undefined;
  try {
    return queryTest(query, target);
  } catch (error) {
    if (error instanceof QueryError) throw new AdminError(400, 'invalid_query', error.message, error.at);
    throw error;
  }
}

/** Those fields of a query that none of the things has, for answers. */
export function unknownFields<T>(query: QueryTest<T> | undefined, target: QueryTarget<T>, things: () => Iterable<T>): { readonly unknownFields?: QueryTest<T>['otherFields'] } {
  const missing = new Set(query?.otherFields);
  if (!query || missing.size === 0) return {};
  for (const thing of things()) {
    for (const other of missing) if (target.values(thing, other.field).length > 0) missing.delete(other);
    if (missing.size === 0) return {};
  }
  return { unknownFields: [...missing] };
}
