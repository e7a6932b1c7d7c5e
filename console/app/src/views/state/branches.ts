import type { StateBranch } from '../../api/types.generated.js';

/** The branches of all pages: one that goes on on the next page is one. */
export function joinedBranches(pages: readonly { readonly items: readonly StateBranch[] }[]): readonly StateBranch[] {
  const all: StateBranch[] = [];
  for (const branch of pages.flatMap(({ items }) => items)) {
    const last = all.at(-1);
    if (last?.prefix === branch.prefix) all[all.length - 1] = { prefix: branch.prefix, keys: last.keys + branch.keys };
    else all.push(branch);
  }
  return all;
}

/** Index of the branch that is meant: of keys the one that is open, where one is; of what goes on the one that keys have moved to. */
export function meantBranch(branches: readonly StateBranch[], moved: number, open: string | undefined): number {
  const there = branches[moved];
  if (open === undefined || (there && there.key === undefined)) return moved;
  const at = branches.findIndex(({ key }) => key === open);
  return at >= 0 ? at : moved;
}

/** Each prefix above one, the shortest first, with what it adds to the one before: `orders:2026:` is `orders:` and `2026:`. */
export function prefixSteps(prefix: string): readonly { readonly prefix: string; readonly text: string }[] {
  const parts = prefix.match(/[^:/.]*[:/.]|[^:/.]+$/g) ?? [];
  return parts.map((text, at) => ({ text, prefix: parts.slice(0, at + 1).join('') }));
}
