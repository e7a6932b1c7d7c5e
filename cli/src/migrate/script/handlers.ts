import type ts from 'typescript';
import { bare, member, objectIn, textIn, valueOf } from './objects.js';
import { findConfigs } from './find-configs.js';
import { HANDLER_TYPES } from './names.js';
import type { ScriptText } from './script-text.js';

type Function = ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration;

/** What only a context has. */
const CONTEXT_KEYS: ReadonlySet<string> = new Set(['logger', 'emit', 'enqueue', 'state', 'streams', 'traceId', 'trigger']);

/** Pass: types of handlers, and the context as the second argument of a cron handler. */
export function rewriteHandlers(script: ScriptText): void {
  const config = configName(script);
  if (config !== undefined) rewriteTypes(script, `Handlers<typeof ${config}>`);
  if (!isCronOnly(script)) return;
  for (const handler of handlersOf(script)) {
    const [only, more] = handler.parameters;
    if (only === undefined || more !== undefined || !isContext(script, only)) continue;
    const start = only.getStart(script.source);
    const isBare = script.ts.isArrowFunction(handler) && script.text[start - 1] !== '(' && !/\(\s*$/.test(script.text.slice(0, start));
    if (isBare) script.edits.replace(start, only.end, `(_input, ${script.textOf(only)})`);
    else script.edits.insert(start, '_input, ');
  }
}

/** The functions that a Step file has as its handler. */
export function handlersOf(script: ScriptText): readonly Function[] {
  const { ts } = script;
  const found: Function[] = [];
  const add = (node: ts.Expression | undefined): void => {
    const inner = node && bare(ts, node);
    if (inner && (ts.isArrowFunction(inner) || ts.isFunctionExpression(inner))) found.push(inner);
  };
  for (const one of script.source.statements) if (ts.isFunctionDeclaration(one) && one.name?.text === 'handler') found.push(one);
  for (const { name, initializer } of script.all(ts.isVariableDeclaration)) if (ts.isIdentifier(name) && name.text === 'handler') add(initializer);
  for (const { left, right } of script.all(ts.isBinaryExpression)) if (/^(?:module\.)?exports\.handler$/.test(script.textOf(left))) add(right);
  for (const call of script.all(ts.isCallExpression)) if (script.textOf(call.expression) === 'step') add(call.arguments[1]);
  return found;
}

/** Name of the declaration that holds the Step's config. */
function configName(script: ScriptText): string | undefined {
  const { ts } = script;
  const declaration = findConfigs(script).find(({ sort }) => sort === 'step')?.declaration;
  return declaration && ts.isIdentifier(declaration.name) ? declaration.name.text : undefined;
}

/** `Handlers['Name']`, `StepHandler<…>` and their like. */
function rewriteTypes(script: ScriptText, type: string): void {
  const { ts } = script;
  for (const node of script.all(ts.isIndexedAccessTypeNode)) {
    if (ts.isTypeReferenceNode(node.objectType) && script.textOf(node.objectType) === 'Handlers') script.replace(node, type);
  }
  for (const node of script.all(ts.isTypeReferenceNode)) {
    const name = script.textOf(node.typeName);
    if (name !== 'Handlers' && HANDLER_TYPES.has(name)) script.replace(node, type);
  }
}

function isCronOnly(script: ScriptText): boolean {
  const { ts } = script;
  const config = findConfigs(script).find(({ sort }) => sort === 'step')?.object;
  const list = config && valueOf(ts, member(ts, config, 'triggers'));
  const inner = list && bare(ts, list);
  if (!inner || !ts.isArrayLiteralExpression(inner) || inner.elements.length === 0) return false;
  return inner.elements.every((element) => {
    const object = objectIn(ts, element);
    if (object) return textIn(ts, object, 'type') === 'cron';
    const call = bare(ts, element);
    return ts.isCallExpression(call) && script.textOf(call.expression) === 'cron';
  });
}

function isContext(script: ScriptText, { name }: ts.ParameterDeclaration): boolean {
  const { ts } = script;
  if (ts.isObjectBindingPattern(name)) return name.elements.some((one) => CONTEXT_KEYS.has(script.textOf(one.propertyName ?? one.name)));
  if (!ts.isIdentifier(name)) return false;
  return script.references(name).some(({ parent }) => ts.isPropertyAccessExpression(parent) && CONTEXT_KEYS.has(parent.name.text));
}
