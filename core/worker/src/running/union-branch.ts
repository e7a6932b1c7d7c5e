import type { StandardIssue } from 'treadle';

/** An issue of zod 4 or of zod 3 that lists what each branch of a union found. */
interface UnionIssue extends StandardIssue {
  readonly code: 'invalid_union';
  readonly errors?: readonly (readonly StandardIssue[])[];
  readonly unionErrors?: readonly { readonly issues: readonly StandardIssue[] }[];
}

/** What the branch found that a value was meant for. */
export interface ChosenBranch {
  readonly issues: readonly StandardIssue[];
  /** Their paths begin at the whole value (zod 3), not at the union. */
  readonly absolute: boolean;
}

/** Codes for a value that is not the one that is asked for. */
const OTHER_VALUE: ReadonlySet<unknown> = new Set(['invalid_value', 'invalid_literal', 'invalid_enum_value']);

/**
 * The branch of a union that a refused value was meant for: the only one whose tag (a literal, such as `kind: 'card'`) it has, or the only
 * one whose type it has. Undefined when there is no telling; then the issue of the union says it.
 */
export function chosenBranch(issue: StandardIssue): ChosenBranch | undefined {
  if ((issue as { code?: unknown }).code !== 'invalid_union') return undefined;
  const { errors, unionErrors, path = [] } = issue as UnionIssue;
  const absolute = errors === undefined;
  const branches = errors ?? unionErrors?.map(({ issues }) => issues) ?? [];
  if (branches.length < 2) return undefined;
  const depth = absolute ? path.length : 0;
  const issues = onlyOne(branches, (branch) => !branch.some((found) => isOfAnotherType(found, depth))) ?? byTag(branches, depth);
  return issues && issues.length > 0 ? { issues, absolute } : undefined;
}

/** The only branch without a fault at a member in which all others want another value. */
function byTag(branches: readonly (readonly StandardIssue[])[], depth: number): readonly StandardIssue[] | undefined {
  const tags = branches.map((branch) => new Set(branch.filter((found) => isOfAnotherValue(found, depth)).map(placeOf)));
  const names = new Set(tags.flatMap((tag) => [...tag]));
  for (const name of names) {
    const meant = branches.filter((_, index) => !tags[index]?.has(name));
    if (meant.length === 1) return meant[0];
  }
  return undefined;
}

function onlyOne<T>(list: readonly T[], fits: (item: T) => boolean): T | undefined {
  const found = list.filter(fits);
  return found.length === 1 ? found[0] : undefined;
}

const placeOf = ({ path = [] }: StandardIssue): string => path.map(String).join('/');
const isOfAnotherValue = (found: StandardIssue, depth: number): boolean => OTHER_VALUE.has(codeOf(found)) && (found.path?.length ?? 0) > depth;
const isOfAnotherType = (found: StandardIssue, depth: number): boolean =>
  (codeOf(found) === 'invalid_type' || OTHER_VALUE.has(codeOf(found))) && (found.path?.length ?? 0) === depth;
const codeOf = (found: StandardIssue): unknown => (found as { code?: unknown }).code;
