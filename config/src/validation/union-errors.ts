import type { ErrorObject } from 'ajv';

const UNIONS: readonly string[] = ['anyOf', 'oneOf'];
/** Rules that say all there is to say; what they contain says it of a part. */
const WHOLES: readonly string[] = ['contains', 'propertyNames'];
/** Rules whose failure says that the branch is about another value altogether. */
const KIND_RULES: readonly string[] = ['type', 'const', 'enum'];

/**
 * Of a value that fits no branch of a union, ajv reports every branch. Left is what a reader can use: the errors of the
 * one branch that was meant, else the union's own error, which is then worded from all branches.
 */
export function settleUnions(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const dropped = new Set<ErrorObject>();
  // Outer unions come last in ajv's list; dropping outside in leaves the inner ones of a meant branch.
  for (const union of [...errors].reverse()) {
    const isUnion = UNIONS.includes(union.keyword);
    if (dropped.has(union) || !(isUnion || WHOLES.includes(union.keyword))) continue;
    const inside = errors.filter((error) => isInside(error, union));
    const meant = isUnion ? meantBranch(inside, union) : undefined;
    for (const error of inside) if (branchOf(error, union) !== meant) dropped.add(error);
    if (meant !== undefined) dropped.add(union);
  }
  return errors.filter((error) => !dropped.has(error));
}

function isInside(error: ErrorObject, union: ErrorObject): boolean {
  const isBelow = error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
  return isBelow && error.schemaPath.startsWith(`${union.schemaPath}/`);
}

function branchOf(error: ErrorObject, union: ErrorObject): string {
  return error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0] as string;
}

/** The only branch that is about this kind of value. */
function meantBranch(inside: readonly ErrorObject[], union: ErrorObject): string | undefined {
  const branches = new Set(inside.map((error) => branchOf(error, union)));
  for (const error of inside) {
    if (error.instancePath === union.instancePath && KIND_RULES.includes(error.keyword)) branches.delete(branchOf(error, union));
  }
  return branches.size === 1 ? [...branches][0] : undefined;
}
