import type ts from 'typescript';
import { bare } from './objects.js';
import type { ScriptText } from './script-text.js';

const STATE = /(?:^|\.)(?:state|stateManager)$/;
const STREAM = /(?:^|\.)streams(?:\.\w+|\[[^\]]*\])$/;
const CHANGE_KEYS: Readonly<Record<string, string>> = { new_value: 'newValue', old_value: 'oldValue', group_id: 'group', item_id: 'key' };

/** Pass: operations of state and streams, and what they give back. */
export function rewriteStores(script: ScriptText): void {
  const { ts } = script;
  for (const call of script.all(ts.isCallExpression)) rewriteListing(script, call);
  for (const declaration of script.all(ts.isVariableDeclaration)) rewriteWritten(script, declaration);
  if (/type:\s*['"]state['"]|\bstate\(/.test(script.text)) rewriteChanges(script);
}

/** Which store a call's receiver is. */
function storeOf(script: ScriptText, receiver: ts.Expression): 'state' | 'stream' | undefined {
  const text = script.textOf(receiver).replace(/\s/g, '');
  if (STATE.test(text)) return 'state';
  return STREAM.test(text) ? 'stream' : undefined;
}

/** All values of a group: a stream lists its items, state lists entries in pages. */
function rewriteListing(script: ScriptText, call: ts.CallExpression): void {
  const { ts } = script;
  const callee = bare(ts, call.expression);
  if (!ts.isPropertyAccessExpression(callee)) return;
  const store = storeOf(script, callee.expression);
  const isOld = callee.name.text === 'getGroup';
  if (store === 'stream' && isOld) script.replace(callee.name, 'list');
  if (isOld && store === undefined) script.note(call, 'it cannot be told whose "getGroup" this is', 'of a stream it is "list"; of state, (await state.list(group)).items');
  if (store !== 'state' || (!isOld && (callee.name.text !== 'list' || call.arguments.length !== 1))) return;
  const [group] = call.arguments;
  if (group === undefined) return;
  const types = call.typeArguments ? `<${call.typeArguments.map((one) => script.textOf(one)).join(', ')}>` : '';
  const listed = `${script.textOf(callee.expression)}.list${types}(${script.textOf(group)}, { limit: 1000 })`;
  if (ts.isAwaitExpression(call.parent)) script.replace(call.parent, `(await ${listed}).items.map(({ value }) => value)`);
  else script.replace(call, `${listed}.then(({ items }) => items.map(({ value }) => value))`);
  script.note(call, 'state lists at most 1,000 entries of a group at once', 'where a group may be larger, go on with "cursor" of the answer');
}

/** `{ new_value }` of a write: the value itself is given back. */
function rewriteWritten(script: ScriptText, { name, initializer }: ts.VariableDeclaration): void {
  const { ts } = script;
  const call = initializer && ts.isAwaitExpression(initializer) ? initializer.expression : undefined;
  if (!call || !ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return;
  const operation = call.expression.name.text;
  if (storeOf(script, call.expression.expression) === undefined || !/^(?:set|update)$/.test(operation)) return;
  if (ts.isIdentifier(name)) rewriteUses(script, name, operation);
  else if (ts.isObjectBindingPattern(name)) rewritePattern(script, name, operation);
}

function rewritePattern(script: ScriptText, pattern: ts.ObjectBindingPattern, operation: string): void {
  const named = (key: string): ts.BindingElement | undefined => pattern.elements.find((one) => script.textOf(one.propertyName ?? one.name) === key);
  const old = named('old_value');
  const value = named('new_value');
  if (old) noteOld(script, old);
  else if (value && pattern.elements.length === 1) script.replace(pattern, operation === 'set' ? script.textOf(value.name) : `{ value: ${script.textOf(value.name)} }`);
}

function rewriteUses(script: ScriptText, name: ts.Identifier, operation: string): void {
  const { ts } = script;
  for (const { parent } of script.references(name)) {
    if (!ts.isPropertyAccessExpression(parent)) continue;
    if (parent.name.text === 'old_value') noteOld(script, parent);
    if (parent.name.text === 'new_value') script.replace(parent, operation === 'set' ? name.text : `${name.text}.value`);
  }
}

function noteOld(script: ScriptText, node: ts.Node): void {
  script.note(node, 'a write does not give the old value back', 'read it before, or let a state trigger tell: its input has "oldValue"');
}

/** Input of a Step that state starts. */
function rewriteChanges(script: ScriptText): void {
  const { ts } = script;
  const rename = (node: ts.Identifier): void => {
    const wanted = Object.hasOwn(CHANGE_KEYS, node.text) ? CHANGE_KEYS[node.text] : undefined;
    if (wanted !== undefined) script.replace(node, wanted);
  };
  for (const { name } of script.all(ts.isPropertyAccessExpression)) if (ts.isIdentifier(name)) rename(name);
  for (const { parent, propertyName, name } of script.all(ts.isBindingElement)) {
    if (!ts.isParameter(parent.parent) && !(ts.isVariableDeclaration(parent.parent) && /^\w+$/.test(parent.parent.initializer ? script.textOf(parent.parent.initializer) : ''))) continue;
    const key = script.textOf(propertyName ?? name);
    if (!Object.hasOwn(CHANGE_KEYS, key)) continue;
    if (propertyName) script.replace(propertyName, CHANGE_KEYS[key] ?? key);
    else script.replace(name, `${CHANGE_KEYS[key] ?? key}: ${key}`);
  }
}
