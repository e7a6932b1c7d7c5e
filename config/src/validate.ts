import { treadleError, type TreadleError } from '@treadle/api';
import { keyPath, type Located, type Outcome } from './located.js';
import { showNode } from './show-value.js';
import { Explainer } from './validation/explain.js';
import { materialize } from './validation/materialize.js';
import type { Materialized } from './validation/materialized.js';
import { schemaErrors } from './validation/schema-errors.js';
import { validPart, type ValidPart } from './validation/valid-part.js';
import type { ValidateInput, Validated } from './validation/validated.js';
import { withoutSlots } from './validation/without-slots.js';

/** A config without errors, or what of a faulty one can still be checked. */
export interface ValidateOutcome extends Outcome<Validated | undefined> {
  /** There when `value` is not, unless the config is no map or its schema is faulty. */
  readonly part?: ValidPart;
}

/**
 * Stages 6 and 7: types interpolated values, applies variables of settings and defaults, and checks everything. All
 * issues at once, in the order of the file; the value is undefined when one of them is an error.
 */
export function validateConfig(input: ValidateInput): ValidateOutcome {
  const { tree } = input;
  if (tree && tree.kind !== 'map' && !isNothing(tree)) return { value: undefined, issues: notAMap(tree, input) };
  const result = materialize(input, tree?.kind === 'map' ? tree : undefined);
  const issues = [...result.issues, ...missingSlots(input), ...schemaIssues(input, result)].sort(inFileOrder);
  const { config, origins, envCount } = result;
  const validated = { config, origins: Object.freeze(origins), envCount };
  if (issues.every((issue) => issue.severity === 'warning')) return { value: validated, issues };
  const isBadSchema = issues.some(({ code }) => code === 'CLASS_BAD_SCHEMA');
  return { value: undefined, issues, ...(!isBadSchema && { part: validPart(validated, withoutSlots(input.schema, input.slotKeys)) }) };
}

function schemaIssues(input: ValidateInput, result: Materialized): readonly TreadleError[] {
  const schema = withoutSlots(input.schema, input.slotKeys);
  try {
    return new Explainer({ ...input, schema }, result).explain(schemaErrors(result.config, schema));
  } catch (error) {
    const reason = (error as Error).message;
    return [treadleError('CLASS_BAD_SCHEMA', { class: input.owner, reason }, { at: input.at, cause: error })];
  }
}

/** The adapter entries themselves are checked one by one, by their own schemas. */
function missingSlots({ tree, schema, slotKeys, path, owner, at }: ValidateInput): readonly TreadleError[] {
  const isWritten = (key: string): boolean => tree?.kind === 'map' && tree.entries.has(key);
  return slotKeys
    .filter((key) => schema.required?.includes(key) && !isWritten(key))
    .map((key) => treadleError('CONFIG_MISSING_KEY', { path: keyPath(path, key), owner, key }, { at }));
}

function notAMap(tree: Located, { path }: ValidateInput): readonly TreadleError[] {
  if (tree.kind === 'scalar' && tree.interpolated?.missing) return [];
  return [treadleError('CONFIG_BAD_VALUE', { path, problem: `expected map, got ${showNode(tree)}` }, { at: tree.at })];
}

/** `config:` with nothing behind it. */
function isNothing(tree: Located): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

function inFileOrder(a: TreadleError, b: TreadleError): number {
  return (a.at?.line ?? 0) - (b.at?.line ?? 0) || (a.at?.column ?? 0) - (b.at?.column ?? 0);
}
