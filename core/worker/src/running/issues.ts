import { MAX_ISSUES, type ValidationIssue } from '@treadle/protocol';
import type { StandardIssue } from 'treadle';
import { chosenBranch } from './union-branch.js';

/** Characters of one issue's text. */
const MAX_TEXT = 1_000;
type Path = NonNullable<StandardIssue['path']>;

/** What a library finds wrong with the part `where` of an input, in the form that clients read: one issue for each fault, without any value. */
export function issuesOf(found: readonly StandardIssue[], where: string): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  for (const issue of found) {
    if (issues.length >= MAX_ISSUES) break;
    collect(issue, { where, path: [] }, issues);
  }
  return issues;
}

/** `at.path` is where the union stands that the issue is of. */
function collect(issue: StandardIssue, at: { readonly where: string; readonly path: Path }, issues: ValidationIssue[]): void {
  const path = [...at.path, ...(issue.path ?? [])];
  const branch = chosenBranch(issue);
  if (branch) {
    for (const inner of branch.issues) if (issues.length < MAX_ISSUES) collect(inner, { where: at.where, path: branch.absolute ? at.path : path }, issues);
    return;
  }
  const { code } = issue as { code?: unknown };
  issues.push({
    in: at.where, path: path.map(nameOf).join('.').slice(0, MAX_TEXT), message: String(issue.message).slice(0, MAX_TEXT),
    code: typeof code === 'string' ? code : 'invalid',
  });
}

const nameOf = (part: Path[number]): string => String(typeof part === 'object' ? part.key : part);
