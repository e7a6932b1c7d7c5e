import type ts from 'typescript';
import type { ScriptText, TypeScript } from './script-text.js';

/** The expression without `as const`, `satisfies`, parentheses and type assertions. */
export function bare(ts: TypeScript, node: ts.Expression): ts.Expression {
  let inner = node;
  while (ts.isAsExpression(inner) || ts.isSatisfiesExpression(inner) || ts.isParenthesizedExpression(inner) || ts.isTypeAssertionExpression(inner)) {
    inner = inner.expression;
  }
  return inner;
}

/** The object that an expression is written as, if it is one. */
export function objectIn(ts: TypeScript, node: ts.Expression | undefined): ts.ObjectLiteralExpression | undefined {
  const inner = node && bare(ts, node);
  return inner && ts.isObjectLiteralExpression(inner) ? inner : undefined;
}

/** Key of a member that is written plainly; undefined for a spread or a computed one. */
export function keyOf(ts: TypeScript, member: ts.ObjectLiteralElementLike): string | undefined {
  const name = member.name;
  return name && (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) ? name.text : undefined;
}

/** Member of an object by its key. */
export function member(ts: TypeScript, object: ts.ObjectLiteralExpression, key: string): ts.ObjectLiteralElementLike | undefined {
  return object.properties.find((one) => keyOf(ts, one) === key);
}

/** What a member holds; a shorthand holds its name. */
export function valueOf(ts: TypeScript, one: ts.ObjectLiteralElementLike | undefined): ts.Expression | undefined {
  if (one === undefined) return undefined;
  if (ts.isPropertyAssignment(one)) return one.initializer;
  return ts.isShorthandPropertyAssignment(one) ? one.name : undefined;
}

/** Text of a member that is a string literal. */
export function textIn(ts: TypeScript, object: ts.ObjectLiteralExpression, key: string): string | undefined {
  const value = valueOf(ts, member(ts, object, key));
  const inner = value && bare(ts, value);
  return inner && ts.isStringLiteralLike(inner) ? inner.text : undefined;
}

/** The span of a member with its comma, and with its whole line where it stands alone on it. */
export function spanOf(script: ScriptText, one: ts.ObjectLiteralElementLike): { readonly start: number; readonly end: number } {
  const { text, source } = script;
  let start = one.getStart(source);
  let end = one.end;
  const comma = /^\s*,/.exec(text.slice(end));
  if (comma) end += comma[0].length;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const rest = /^[ \t]*(?:\/\/[^\n]*)?\r?\n/.exec(text.slice(end));
  if (/^[ \t]*$/.test(text.slice(lineStart, start)) && rest) {
    start = lineStart;
    end += rest[0].length;
  } else {
    end += /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  }
  return { start, end };
}

/** Takes a member out of its object. */
export function removeMember(script: ScriptText, one: ts.ObjectLiteralElementLike): void {
  const { start, end } = spanOf(script, one);
  script.edits.replace(start, end, '');
}

/** The same text with `more` in front of each further line; lines within template literals stay, for they are text. */
export function indented(script: ScriptText, node: ts.Node, more: string): string {
  const { ts, text, source } = script;
  const begin = node.getStart(source);
  const literals = script.all((one): one is ts.Node => ts.isTemplateLiteralToken(one), node);
  const within = (at: number): boolean => literals.some((one) => one.getStart(source) < at && at < one.end);
  return text.slice(begin, node.end).replace(/\n(?!\r?\n)/g, (line, at: number) => (within(begin + at) ? line : line + more));
}
