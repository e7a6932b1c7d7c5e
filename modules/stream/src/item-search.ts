import { type AdminRequest, limitArgument, matchesWithin, MAX_LIMIT, queryArgument, type QueryTarget, type StreamEvent, type StreamGroup, type StreamItem, textMatch, valuesAt } from '@treadle/api';

const DEFAULT_LIMIT = 100;
/** Most items that one question with a query looks at. */
export const MOST_EXAMINED = 20_000;

/** Items of a group, and at how many of them it was looked. */
export interface ItemPage {
  readonly items: readonly StreamItem[];
  /** With a query. */
  readonly examined?: number;
  /** The id that the page ends with. */
  readonly cursor?: string;
}

/** The items of a group in the order of their ids, page by page. @throws {AdminError} 400 */
export function itemPage(group: StreamGroup, all: readonly StreamItem[], { limit, cursor, q }: AdminRequest['query']): ItemPage {
  const most = limitArgument(limit, DEFAULT_LIMIT, MAX_LIMIT);
  const test = queryArgument(q, itemTarget(group))?.test;
  const rest = all.filter(({ id }) => cursor === undefined || id > cursor).sort((a, b) => (a.id < b.id ? -1 : 1));
  const items: StreamItem[] = [];
  let examined = 0;
  while (examined < rest.length && items.length < most && examined < MOST_EXAMINED) {
    const item = rest[examined] as StreamItem;
    if (!test || test(item)) items.push(item);
    examined += 1;
  }
  return { items, ...test && { examined }, ...examined < rest.length && { cursor: (rest[examined - 1] as StreamItem).id } };
}

/** What queries ask of items; members of the value by their dotted paths, `value.…` also where the item has a field of that name. */
function itemTarget({ stream, groupId }: StreamGroup): QueryTarget<StreamItem> {
  return {
    known: { id: 'text', stream: 'text', group: 'text', revision: 'number' },
    values: ({ id, revision, value }, field) => {
      const own: Readonly<Record<string, unknown>> = { id, revision, stream, group: groupId };
      return Object.hasOwn(own, field) ? [own[field]] : inValue(value, 'value', field);
    },
    mentions: (text) => {
      const matches = textMatch(text);
      return ({ id, value }) => matches(id) || matchesWithin(value, matches);
    },
  };
}

/** What queries ask of events: where they happened, what kind they are (`create`, `update`, `delete`, or the type of one that was sent), and members of their data. */
const EVENT_TARGET: QueryTarget<StreamEvent> = {
  known: { id: 'text', stream: 'text', group: 'text', type: 'text', seq: 'number', time: 'time' },
  values: (event, field) => {
    const own: Readonly<Record<string, unknown>> = { id: event.id, stream: event.stream, group: event.groupId, type: typeOf(event), seq: event.seq, time: event.timestamp };
    return Object.hasOwn(own, field) ? [own[field]].filter((value) => value !== undefined) : inValue(dataOf(event), 'data', field);
  },
  mentions: (text) => {
    const matches = textMatch(text);
    return (event) => matches(event.id ?? '') || matches(typeOf(event)) || matchesWithin(dataOf(event), matches);
  },
};

/** Which events a query means. @throws {AdminError} 400 `invalid_query` */
export function eventTest(q: string | undefined): ((event: StreamEvent) => boolean) | undefined {
  return queryArgument(q, EVENT_TARGET)?.test;
}

function inValue(value: unknown, name: string, field: string): readonly unknown[] {
  const found = valuesAt(value, field);
  if (found.length > 0) return found;
  return field === name && (typeof value !== 'object' || value === null) ? [value] : valuesAt({ [name]: value }, field);
}

const typeOf = ({ event }: StreamEvent): string => (event.type === 'event' ? event.event.type : event.type);
const dataOf = ({ event }: StreamEvent): unknown => (event.type === 'event' ? event.event.data : event.data);
