import { AdminError } from '../admin.js';
import { type QueryTarget, queryTest, type QueryTest } from './query-test.js';
import { QueryError } from './query-tree.js';

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
