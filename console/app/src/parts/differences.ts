import { isTree, writeJson } from '../api/json.js';

/** A member that two values have differently; undefined where one lacks it. */
export interface Difference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Members that differ, the deepest that can be named. */
export function differences(before: unknown, after: unknown, path = ''): readonly Difference[] {
  if (before === undefined || after === undefined) return before === after ? [] : [{ path, before, after }];
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) return writeJson(before) === writeJson(after) ? [] : [{ path, before, after }];
  const [left, right] = [before as Readonly<Record<string, unknown>>, after as Readonly<Record<string, unknown>>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) => differences(left[key], right[key], path === '' ? key : `${path}.${key}`));
}
