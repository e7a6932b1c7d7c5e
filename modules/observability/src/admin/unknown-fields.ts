import type { QueryTarget, QueryTest } from '@treadle/api';

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
