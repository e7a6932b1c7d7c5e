import type { Json } from '@treadle/api';
import { moreLine, plain, preview } from '../admin/show.js';
import { count, formatTable } from '../terminal/table.js';

/** A key with its value. */
export interface StateItem {
  readonly key: string;
  readonly value: Json;
  readonly revision: number;
}

export interface StatePage {
  readonly items: readonly StateItem[];
  readonly cursor?: string;
}

export interface GroupPage {
  readonly items: readonly string[];
  readonly cursor?: string;
}

/** Keys of a group with the beginning of their values. */
export function formatKeys({ items, cursor }: StatePage, group: string): string {
  if (items.length === 0) return `No keys in group ${group}.`;
  const rows = items.map(({ key, revision, value }) => [plain(key), String(revision), preview(value)]);
  return [formatTable([['KEY', 'REVISION', 'VALUE'], ...rows]), `${count(items.length, 'key')}.`, ...moreLine(cursor)].join('\n');
}

/** One group per line. */
export function formatGroups({ items, cursor }: GroupPage): string {
  if (items.length === 0) return 'No state is stored.';
  return [...items.map(plain), `${count(items.length, 'group')}.`, ...moreLine(cursor)].join('\n');
}
