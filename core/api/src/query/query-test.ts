import { parseQuery } from './parse-query.js';
import type { QueryNode, QuerySpan } from './query-tree.js';
import { type FieldType, valueTest } from './query-value.js';

/** How a query is put to things of a kind. */
export interface QueryTarget<T> {
  /** Fields that things of this kind always have, and how they are compared. */
  readonly known: Readonly<Record<string, FieldType>>;
  /** Values of a field: several where it occurs several times, none where it is not there. */
  values(thing: T, field: string): readonly unknown[];
  /** Whether a text occurs somewhere in it, whatever the case. Made once for each text of a query. */
  mentions(text: string): (thing: T) => boolean;
}

/** A query that can be put to things. */
export interface QueryTest<T> {
  readonly test: (thing: T) => boolean;
  /** Fields of the query that are not among the known ones. */
  readonly otherFields: readonly (QuerySpan & { readonly field: string })[];
}

/** @throws {QueryError} with the characters that are wrong */
export function queryTest<T>(query: string, target: QueryTarget<T>): QueryTest<T> {
  const tree = parseQuery(query);
  if (!tree) return { test: () => true, otherFields: [] };
  const otherFields: (QuerySpan & { readonly field: string })[] = [];
  const note = (field: string, { from, to }: QuerySpan): void => {
    if (!Object.hasOwn(target.known, field)) otherFields.push({ field, from, to });
  };
  return { test: testOf(tree, target, note), otherFields };
}

type Note = (field: string, at: QuerySpan) => void;

function testOf<T>(node: QueryNode, target: QueryTarget<T>, note: Note): (thing: T) => boolean {
  switch (node.type) {
    case 'and':
    case 'or': {
      const parts = node.parts.map((part) => testOf(part, target, note));
      return node.type === 'and' ? (thing) => parts.every((part) => part(thing)) : (thing) => parts.some((part) => part(thing));
    }
    case 'not': {
      const part = testOf(node.part, target, note);
      return (thing) => !part(thing);
    }
    case 'text': return target.mentions(node.text);
    case 'has': {
      note(node.field, node);
      return (thing) => target.values(thing, node.field).some((value) => value !== undefined && value !== '' && value !== 0);
    }
    case 'field': {
      note(node.field, node);
      const type = Object.hasOwn(target.known, node.field) ? target.known[node.field] : undefined;
      const holds = valueTest(node, type);
      return (thing) => target.values(thing, node.field).some(holds);
    }
  }
}

