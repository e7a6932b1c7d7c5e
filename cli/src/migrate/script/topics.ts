import type ts from 'typescript';
import { bare, keyOf, member, objectIn, valueOf } from './objects.js';
import type { ScriptText } from './script-text.js';

/** Elements of a list that is written out; undefined for any other expression, also one with a spread. */
export function elementsOf({ ts }: ScriptText, value: ts.Expression | undefined): readonly ts.Expression[] | undefined {
  const inner = value && bare(ts, value);
  if (!inner || !ts.isArrayLiteralExpression(inner)) return undefined;
  return inner.elements.some((one) => ts.isSpreadElement(one)) ? undefined : inner.elements;
}

/** Text of the topic that an element names; one may be an object that also says how to draw it. */
export function topicText(script: ScriptText, element: ts.Expression): string {
  const object = objectIn(script.ts, element);
  const topic = object && valueOf(script.ts, member(script.ts, object, 'topic'));
  return script.textOf(topic ?? element);
}

/** `emits: [{ topic: 'a', label }]` to `enqueues: ['a']`; a list of another form keeps its elements. */
export function renameTopics(script: ScriptText, one: ts.ObjectLiteralElementLike, name: string): void {
  const { ts } = script;
  const value = valueOf(ts, one);
  if (!one.name || !value) {
    script.note(one, `"${keyOf(ts, one)}" is not written as a list`, `write it as ${name}: ['topic', …]`);
    return;
  }
  if (ts.isShorthandPropertyAssignment(one)) script.replace(one, `${name}: ${script.textOf(value)}`);
  else if (keyOf(ts, one) !== name) script.replace(one.name, ts.isStringLiteral(one.name) ? `'${name}'` : name);
  const elements = elementsOf(script, value);
  if (elements === undefined) {
    script.note(one, `"${name}" is put together elsewhere`, 'see that it is a list of topics by name, without labels');
    return;
  }
  for (const element of elements) if (objectIn(ts, element)) script.replace(element, topicText(script, element));
}
