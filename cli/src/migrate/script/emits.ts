import type ts from 'typescript';
import { bare, member, objectIn } from './objects.js';
import type { ScriptText } from './script-text.js';

const CONTEXT_NAME = /^(?:ctx|context)$/;
const CONTEXT_TYPE = /^(?:\w*Context)$/;

/** Pass: `emit` of the context by its name here, also where it is taken out of the context. */
export function rewriteEmits(script: ScriptText): void {
  const { ts } = script;
  const contexts = script.all(ts.isParameter).filter((one) => isContext(script, one));
  for (const { name } of contexts) {
    if (ts.isObjectBindingPattern(name)) renameMember(script, name);
    else if (ts.isIdentifier(name)) for (const use of script.references(name)) rewriteUse(script, use);
  }
  for (const call of script.all(ts.isCallExpression)) if (isEmitOfTopic(script, call)) renameAccess(script, call.expression);
}

/** The second parameter of a handler or middleware, and any that is named or typed as a context. */
function isContext(script: ScriptText, parameter: ts.ParameterDeclaration): boolean {
  const { ts } = script;
  const { name, type } = parameter;
  if (type && ts.isTypeReferenceNode(type) && CONTEXT_TYPE.test(script.textOf(type.typeName))) return true;
  if (ts.isIdentifier(name) && CONTEXT_NAME.test(name.text)) return true;
  if (!ts.isObjectBindingPattern(name) || parameter.parent.parameters[1] !== parameter) return false;
  return isTakenByRuntime(script, parameter.parent);
}

/** Functions that the runtime calls: the handler, what a list of middleware holds, a condition, a branch of `match`. */
function isTakenByRuntime(script: ScriptText, fn: ts.SignatureDeclaration): boolean {
  const { ts } = script;
  if (fn.name && script.textOf(fn.name) === 'handler') return true;
  for (let node: ts.Node = fn.parent; ; node = node.parent) {
    if (ts.isVariableDeclaration(node)) return script.textOf(node.name) === 'handler' || /Middleware|Handler/.test(node.type ? script.textOf(node.type) : '');
    if (ts.isBinaryExpression(node)) return /exports\.handler$/.test(script.textOf(node.left));
    if (ts.isPropertyAssignment(node)) return /^(?:handler|middleware|condition|http|queue|cron|state|stream|default)$/.test(script.textOf(node.name));
    if (ts.isCallExpression(node)) return script.textOf(node.expression) === 'step';
    if (ts.isBlock(node) || ts.isSourceFile(node)) return false;
  }
}

/** `{ emit }` of a context; its uses are renamed with it unless the new name is taken. */
function renameMember(script: ScriptText, pattern: ts.ObjectBindingPattern): void {
  const { ts } = script;
  for (const { propertyName, name } of pattern.elements) {
    if (propertyName) {
      if (script.textOf(propertyName) === 'emit') script.replace(propertyName, 'enqueue');
    } else if (ts.isIdentifier(name) && name.text === 'emit') {
      renameLocal(script, name);
    }
  }
}

function renameLocal(script: ScriptText, name: ts.Identifier): void {
  const { ts } = script;
  const isTaken = script.all(ts.isIdentifier).some((one) => one.text === 'enqueue' && !ts.isPropertyAccessExpression(one.parent));
  script.replace(name, isTaken ? 'enqueue: emit' : 'enqueue');
  if (isTaken) return;
  for (const use of script.references(name)) script.replace(use, ts.isShorthandPropertyAssignment(use.parent) ? 'emit: enqueue' : 'enqueue');
}

/** What is done with a context: a member is read, or it is taken apart. */
function rewriteUse(script: ScriptText, use: ts.Identifier): void {
  const { ts } = script;
  let outer: ts.Node = use;
  while (ts.isAsExpression(outer.parent) || ts.isParenthesizedExpression(outer.parent) || ts.isNonNullExpression(outer.parent)) outer = outer.parent;
  const { parent } = outer;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === outer) {
    if (parent.name.text === 'emit') script.replace(parent.name, 'enqueue');
  } else if (ts.isVariableDeclaration(parent) && parent.initializer === outer && ts.isObjectBindingPattern(parent.name)) {
    renameMember(script, parent.name);
  }
}

/** `anything.emit({ topic, … })`: an event emitter takes a name first. */
function isEmitOfTopic(script: ScriptText, call: ts.CallExpression): boolean {
  const { ts } = script;
  const callee = bare(ts, call.expression);
  const object = objectIn(ts, call.arguments[0]);
  return ts.isPropertyAccessExpression(callee) && callee.name.text === 'emit' && object !== undefined && member(ts, object, 'topic') !== undefined;
}

function renameAccess(script: ScriptText, expression: ts.Expression): void {
  const callee = bare(script.ts, expression);
  if (script.ts.isPropertyAccessExpression(callee)) script.replace(callee.name, 'enqueue');
}
