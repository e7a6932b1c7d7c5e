import type { StepFileProblem } from '@treadle/protocol';
import { article, type Exports, isObject } from '../loading/step-exports.js';
import { describeError } from '../running/failure.js';
import { issuesOf } from '../running/issues.js';
import { validatorOf } from '../running/validate.js';
import { type CheckedVariables, checkVariables, unusableVariables } from './variables.js';

/** A file that declares environment variables. */
export interface DeclaredEnv {
  /** Relative to the root, with `/`. */
  readonly file: string;
  readonly schema: unknown;
  /** Names of the variables, as far as they are known. */
  readonly names: readonly string[] | undefined;
}

const FORM = 'write "export default env(z.object({ … }))"';

/** Finds the schema of the variables that a file declares. */
export function findEnv(exports: Exports): { readonly schema: unknown } | StepFileProblem {
  const { schema } = isObject(exports['default']) ? exports['default'] : exports;
  if (schema === undefined || schema === null || !['object', 'function'].includes(typeof schema)) {
    const message = schema === undefined ? 'the file declares no variables' : `"schema" must be a schema, not ${article(schema)}`;
    return { kind: 'missing_config', message: `${message}; ${FORM}` };
  }
  const unusable = validatorOf(schema) ? undefined : unusableVariables(schema as Exports);
  return unusable === undefined ? { schema } : { kind: 'schema', message: unusable };
}

/** The names of the variables by the JSON Schema of what the file declares. */
export function variableNames(config: unknown): readonly string[] | undefined {
  const { schema } = (config ?? {}) as { schema?: { properties?: object } };
  return schema?.properties && Object.keys(schema.properties);
}

/** Checks the variables that are declared; what others there are is not looked at. */
export async function checkEnv({ schema, names }: DeclaredEnv, variables: NodeJS.ProcessEnv): Promise<CheckedVariables> {
  const validate = validatorOf(schema);
  if (!validate) return checkVariables(schema as Exports, variables);
  const known = names ? Object.fromEntries(names.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]]))) : { ...variables };
  try {
    const result = await validate(known);
    if (!result.issues) return { value: isObject(result.value) ? result.value : {}, faults: [] };
    const found = issuesOf(result.issues, 'env').map(({ path, message }) => faultOf(path, message, known));
    return { value: {}, faults: [...new Set(found)] };
  } catch (error) {
    return { value: {}, faults: [`the schema threw: ${describeError(error).message}`] };
  }
}

function faultOf(path: string, message: string, known: Readonly<Record<string, unknown>>): string {
  const [name = ''] = path.split('.');
  if (name === '') return message;
  return known[name] === undefined ? `${name} is not set` : `${name}: ${message}`;
}
