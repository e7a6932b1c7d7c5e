import type ts from 'typescript';
import { indented, keyOf, member, objectIn, spanOf, textIn, valueOf } from './objects.js';
import { QUEUE_CONFIG_KEYS } from './names.js';
import { elementsOf } from './topics.js';
import type { ScriptText } from './script-text.js';

const WIDTH = 110;

/** One member of a trigger: its text, and whether it wants lines of its own. */
export interface Piece {
  readonly text: string;
  readonly tall: boolean;
  /** Behind its comma. */
  readonly comment?: string | undefined;
}

/** A piece of a member that moves into a trigger as it is; its further lines get `more` in front. */
export function movedPiece(script: ScriptText, one: ts.ObjectLiteralElementLike, more: string, before = ''): Piece {
  const { ts, text } = script;
  const { end } = spanOf(script, one);
  const comment = /\/\/[^\n]*/.exec(text.slice(one.end, end))?.[0].trimEnd();
  const above = (ts.getLeadingCommentRanges(text, one.getFullStart()) ?? []).filter(({ pos }) => text.slice(one.getFullStart(), pos).includes('\n'));
  const own = indented(script, one, more);
  const lines = [...above.map(({ pos, end: stop }) => text.slice(pos, stop)), before + own];
  return { text: lines.join(`\n${script.indentOf(one)}${more}`), tall: own.includes('\n') || lines.length > 1 || comment !== undefined, comment };
}

/** From where a member's own comments begin, which move with it; undefined without any. */
export function commentStart({ ts, text }: ScriptText, one: ts.ObjectLiteralElementLike): number | undefined {
  const above = (ts.getLeadingCommentRanges(text, one.getFullStart()) ?? []).filter(({ pos }) => text.slice(one.getFullStart(), pos).includes('\n'));
  return above[0] && text.lastIndexOf('\n', above[0].pos) + 1;
}

/** The text of `triggers: [...]`, on one line where it fits, at the place of a member with this indent. */
export function triggersText(triggers: readonly (readonly Piece[])[], indent: string, oneLine: boolean): string {
  const short = `triggers: [${triggers.map((pieces) => `{ ${pieces.map(({ text }) => text).join(', ')} }`).join(', ')}]`;
  const isTall = triggers.some((pieces) => pieces.some(({ tall }) => tall));
  if (oneLine || (!isTall && indent.length + short.length <= WIDTH)) return short;
  const unit = indent.includes('\t') ? '\t' : indent.length >= 4 ? '    ' : '  ';
  const item = indent + unit;
  const blocks = triggers.map((pieces) =>
    `${item}{\n${pieces.map(({ text, comment }) => `${item}${unit}${text},${comment === undefined ? '' : ` ${comment}`}\n`).join('')}${item}},\n`);
  return `triggers: [\n${blocks.join('')}${indent}]`;
}

/** How much deeper a member of a trigger stands than one of the config. */
export function deeper(indent: string): string {
  return (indent.includes('\t') ? '\t' : indent.length >= 4 ? '    ' : '  ').repeat(2);
}

/** `queryParams: [{ name, description }]` as a `querySchema` in JSON Schema; undefined when it is not written out. */
export function querySchema(script: ScriptText, one: ts.ObjectLiteralElementLike): string | undefined {
  const { ts } = script;
  const elements = elementsOf(script, valueOf(ts, one));
  const parameters = elements?.map((element) => {
    const object = objectIn(ts, element);
    const name = object && textIn(ts, object, 'name');
    const description = object && valueOf(ts, member(ts, object, 'description'));
    return name === undefined ? undefined : `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`}: { type: 'string'${
      description === undefined ? '' : `, description: ${script.textOf(description)}`} }`;
  });
  if (parameters === undefined || parameters.includes(undefined)) return undefined;
  return parameters.length === 0 ? `querySchema: { type: 'object' }` : `querySchema: { type: 'object', properties: { ${parameters.join(', ')} } }`;
}

/** `infrastructure: { handler, queue }` as a queue trigger's `config`; undefined when it is not written out. */
export function queueConfig(script: ScriptText, one: ts.ObjectLiteralElementLike): string | undefined {
  const { ts } = script;
  const object = objectIn(ts, valueOf(ts, one));
  if (object === undefined) return undefined;
  const handler = member(ts, object, 'handler');
  if (handler) {
    script.note(handler, 'size and time limit of a handler are not part of a queue', 'remove it; a time limit is "timeoutMs" of the trigger\'s "config"');
  }
  const queue = objectIn(ts, valueOf(ts, member(ts, object, 'queue')));
  if (queue === undefined) return member(ts, object, 'queue') ? undefined : '';
  const kept = queue.properties.filter((property) => QUEUE_CONFIG_KEYS.has(keyOf(ts, property) ?? ''));
  for (const property of queue.properties) {
    if (kept.includes(property)) continue;
    const isGroup = keyOf(ts, property) === 'messageGroupId';
    script.note(property, `a queue's config has no "${keyOf(ts, property) ?? 'spread'}"`, isGroup
      ? 'name the group with each message: enqueue({ topic, data, messageGroupId })' : 'see docs/queue.md for what it has');
  }
  return kept.length === 0 ? '' : `config: { ${kept.map((property) => script.textOf(property)).join(', ')} }`;
}
