import { OperationError } from '@treadle/api';

/*
 * Row keys are made of hex digits of the names' UTF-8 and of `.`, which sorts below every digit: no name can reach
 * beyond its place, whatever characters it has, and rows lie in the order of group bytes, then key bytes.
 */

/** Sorts right after everything that begins with the text before it. */
const AFTER_PREFIX = 'g';
/** Sorts above the text before it and below anything longer. */
const AFTER_SELF = ' ';
/** Sorts above `.` and below every digit: after the rows of a group, before those of longer ones. */
const AFTER_GROUP = '/';

export interface Span {
  readonly from: string;
  readonly to: string;
}

/** Hex digits of the text's UTF-8. */
export function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex');
}

/** The text of `encode`. */
export function decode(digits: string): string {
  return Buffer.from(digits, 'hex').toString('utf8');
}

/** Row key of a value. */
export function valueKey(area: string, group: string, key: string): string {
  return `${area}${encode(group)}.${encode(key)}`;
}

/** Group and key of a value's row. */
export function namesOf(area: string, rowKey: string): { readonly group: string; readonly key: string } {
  const [group = '', key = ''] = rowKey.slice(area.length).split('.');
  return { group: decode(group), key: decode(key) };
}

/** Rows of a group whose keys have a prefix, behind a cursor. */
export function keySpan(area: string, group: string, options: { readonly prefix?: string; readonly cursor?: string }): Span {
  return behind(`${area}${encode(group)}.`, options, AFTER_SELF);
}

/** Rows of all groups with a prefix, behind a cursor. */
export function groupSpan(area: string, options: { readonly prefix?: string; readonly cursor?: string }): Span {
  return behind(area, options, AFTER_GROUP);
}

/** Where the next group may begin. */
export function afterGroup(area: string, group: string): string {
  return `${area}${encode(group)}${AFTER_GROUP}`;
}

/** Right behind a row. */
export function afterRow(rowKey: string): string {
  return `${rowKey}${AFTER_SELF}`;
}

/** All rows that begin with a text. */
export function spanOf(prefix: string, to = `${prefix}~`): Span {
  return { from: prefix, to };
}

function behind(base: string, { prefix = '', cursor }: { readonly prefix?: string; readonly cursor?: string }, after: string): Span {
  const start = `${base}${encode(prefix)}`;
  const span = { from: start, to: `${start}${AFTER_PREFIX}` };
  if (cursor === undefined) return span;
  if (!/^(?:[0-9a-f]{2})+$/.test(cursor)) {
    throw new OperationError('StateInvalidArgument', 'cursor must be one that a former page gave');
  }
  const from = `${base}${cursor}${after}`;
  return from > span.from ? { ...span, from } : span;
}
