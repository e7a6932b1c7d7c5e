import type ts from 'typescript';
import { bare, keyOf, member, objectIn, valueOf } from './objects.js';
import { findConfigs } from './find-configs.js';
import { handlersOf } from './handlers.js';
import type { ScriptText } from './script-text.js';

/** Schemas that let a key be absent. */
const OPTIONAL = /\.(?:optional|nullish|default|catch|any|unknown)\(|\.prefault\(/;

/** Pass that only tells: replies which lack what the `responseSchema` of their status asks for. It is enforced here. */
export function tellReplies(script: ScriptText): void {
  const { ts } = script;
  const schemas = responseSchemas(script);
  if (schemas.size === 0) return;
  for (const handler of handlersOf(script)) {
    for (const object of script.all(ts.isObjectLiteralExpression, handler)) {
      const status = valueOf(ts, member(ts, object, 'status'));
      const required = status && ts.isNumericLiteral(status) ? schemas.get(status.text) : undefined;
      if (required) tellReply(script, object, status?.getText(script.source) ?? '', required);
    }
  }
}

function tellReply(script: ScriptText, reply: ts.ObjectLiteralExpression, status: string, required: readonly string[]): void {
  const { ts } = script;
  const body = objectIn(ts, valueOf(ts, member(ts, reply, 'body')));
  if (!body || body.properties.some((one) => keyOf(ts, one) === undefined)) return;
  const missing = required.filter((key) => member(ts, body, key) === undefined);
  if (missing.length === 0) return;
  script.note(reply, `the reply lacks ${missing.map((key) => `"${key}"`).join(', ')}, which responseSchema asks for with status ${status}; such a reply is answered 500`,
    'mend the schema or the reply; responseValidation: \'warn\' of the trigger only logs it');
}

/** Keys that a reply of a status must have, for schemas that are written as `z.object({…})`, also by a name in the same file. */
function responseSchemas(script: ScriptText): ReadonlyMap<string, readonly string[]> {
  const { ts } = script;
  const found = new Map<string, readonly string[]>();
  const triggers = findConfigs(script).flatMap(({ object }) => script.all(ts.isObjectLiteralExpression, object));
  const maps = triggers.map((trigger) => objectIn(ts, valueOf(ts, member(ts, trigger, 'responseSchema'))));
  for (const one of maps.flatMap((map) => [...map?.properties ?? []])) {
    const status = keyOf(ts, one);
    const keys = requiredKeys(script, valueOf(ts, one));
    if (status !== undefined && keys) found.set(status, keys);
  }
  return found;
}

function requiredKeys(script: ScriptText, schema: ts.Expression | undefined): readonly string[] | undefined {
  const { ts } = script;
  const inner = schema && bare(ts, schema);
  if (inner && ts.isIdentifier(inner)) {
    const declaration = script.symbol(inner)?.valueDeclaration;
    return declaration && ts.isVariableDeclaration(declaration) ? requiredKeys(script, declaration.initializer) : undefined;
  }
  if (!inner || !ts.isCallExpression(inner) || !/^z\.(?:strict|loose)?[oO]bject$/.test(script.textOf(inner.expression))) return undefined;
  const shape = objectIn(ts, inner.arguments[0]);
  if (!shape || shape.properties.some((one) => keyOf(ts, one) === undefined)) return undefined;
  return shape.properties.filter((one) => ts.isPropertyAssignment(one) && !OPTIONAL.test(script.textOf(one.initializer))).map((one) => keyOf(ts, one) ?? '');
}
