import type ts from 'typescript';
import { FAMILY, FROM_CONTEXT, HELPERS, TYPES, WITHOUT_ARGUMENTS } from './names.js';
import type { ScriptText } from './script-text.js';

/** One name of an import as it is written anew; `type` for one that exists only in types. */
interface Specifier {
  readonly name: string;
  readonly local?: string | undefined;
  readonly type: boolean;
}

/** Whether a text takes something from a package of the family. */
export function importsFamily(script: ScriptText): boolean {
  return script.source.statements.some((one) => script.ts.isImportDeclaration(one) && FAMILY.test(moduleOf(script, one)));
}

/** Pass: imports from the family's packages, and the names that they bring. */
export function rewriteImports(script: ScriptText): void {
  const { ts } = script;
  const seen = new Set<string>();
  for (const statement of script.source.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const module = moduleOf(script, statement);
    if (FAMILY.test(module)) rewriteImport(script, statement, seen);
    else if (/^(?:motia|@motiadev|iii-sdk)(?:\/|$)/.test(module)) noteModule(script, statement, module);
  }
  for (const call of script.all(ts.isCallExpression)) {
    const [argument] = call.arguments;
    const isLoad = call.expression.kind === ts.SyntaxKind.ImportKeyword || script.textOf(call.expression) === 'require';
    if (isLoad && argument && ts.isStringLiteralLike(argument) && FAMILY.test(argument.text)) {
      script.note(call, `"${argument.text}" is loaded by a call`, 'import from "treadle" by name, with a statement');
    }
  }
}

function moduleOf({ ts }: ScriptText, { moduleSpecifier }: ts.ImportDeclaration): string {
  return ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
}

function noteModule(script: ScriptText, statement: ts.Node, module: string): void {
  const remedies: readonly (readonly [RegExp, string])[] = [
    [/test$/, 'write the test with createTestEngine of "treadle/testing" (docs/testing.md)'],
    [/workbench|plugin/, 'remove it: the console has no plugins of that kind'],
    [/adapter/, 'remove it: config.yaml names the adapters'],
  ];
  script.note(statement, `nothing takes the place of "${module}"`, remedies.find(([pattern]) => pattern.test(module))?.[1] ?? 'remove the import and what uses it');
}

function rewriteImport(script: ScriptText, statement: ts.ImportDeclaration, seen: Set<string>): void {
  const { ts } = script;
  const { importClause, moduleSpecifier } = statement;
  const bindings = importClause?.namedBindings;
  if (!importClause || importClause.name || !bindings || !ts.isNamedImports(bindings)) {
    script.note(statement, 'the import takes the whole package, or its default', 'import from "treadle" what is used, by name');
    return;
  }
  const wanted = bindings.elements.flatMap((element) => rewriteName(script, element, importClause.isTypeOnly));
  const specifiers = wanted.filter((one) => {
    const key = `${one.name} ${one.local ?? one.name}`;
    return !seen.has(key) && seen.add(key);
  });
  const quote = script.textOf(moduleSpecifier)[0] ?? "'";
  script.replace(moduleSpecifier, `${quote}treadle${quote}`);
  if (specifiers.length > 0) script.replace(importClause, clause(specifiers));
  else script.edits.replace(statement.getStart(script.source), endOfLine(script, statement.end), '');
}

/** Names that exist only in types are marked, so that no loader asks for them. */
function clause(specifiers: readonly Specifier[]): string {
  const onlyTypes = specifiers.every(({ type }) => type);
  const names = specifiers.map(({ name, local, type }) => `${type && !onlyTypes ? 'type ' : ''}${name}${local === undefined || local === name ? '' : ` as ${local}`}`);
  return `${onlyTypes ? 'type ' : ''}{ ${names.join(', ')} }`;
}

function endOfLine({ text }: ScriptText, end: number): number {
  const rest = /^[ \t]*;?[ \t]*\r?\n/.exec(text.slice(end));
  return end + (rest?.[0].length ?? 0);
}

/** What is imported in a name's place; its uses are rewritten. */
function rewriteName(script: ScriptText, element: ts.ImportSpecifier, typeOnly: boolean): readonly Specifier[] {
  const name = (element.propertyName ?? element.name).text;
  const local = element.name.text;
  const alias = local === name ? undefined : local;
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  const helper = Object.hasOwn(HELPERS, name) ? HELPERS[name] : undefined;
  const member = Object.hasOwn(FROM_CONTEXT, name) ? FROM_CONTEXT[name] : undefined;
  if (type !== undefined) return [renameType(script, element, type, alias)];
  if (member !== undefined && !typeOnly) return takeFromContext(script, element, member);
  if (helper !== undefined) {
    if (alias === undefined && helper !== local) for (const use of script.references(element.name)) script.replace(use, helper);
    return [{ name: helper, local: alias, type: false }];
  }
  if (name === 'jsonSchema') return unwrap(script, element);
  if (name === 'Stream' && script.references(element.name).length === 0) return [];
  script.note(element, ...unknown(name));
  return [{ name, local: alias, type: typeOnly || element.isTypeOnly }];
}

function unknown(name: string): readonly [string, string] {
  if (name === 'Stream') return ['"treadle" has no class Stream', 'leave the declaration as "config", and use the stream as getContext().streams.<name>'];
  if (name === 'defineConfig') return ['there is no program\'s configuration in code', 'put modules and ports into config.yaml, and "authenticate" into a file steps/<name>.stream-auth.ts'];
  if (name === 'AuthenticateStream') {
    return ['streams are authenticated by a file of their own', 'export "authenticate" from steps/<name>.stream-auth.ts; what it returns is "auth", without "context" around it'];
  }
  return [`"treadle" has no "${name}"`, 'remove the name and what uses it'];
}

function renameType(script: ScriptText, element: ts.ImportSpecifier, type: string, alias: string | undefined): Specifier {
  const { ts } = script;
  const root = type.replace(/[<[].*$/, '');
  const written = alias === undefined || root !== type ? type : alias;
  for (const use of script.references(element.name)) {
    const reference = ts.isTypeReferenceNode(use.parent) ? use.parent : undefined;
    if (reference?.typeArguments && WITHOUT_ARGUMENTS.has(type)) script.replace(reference, written);
    else if (written !== use.text) script.replace(use, written);
  }
  return { name: root, local: root === type ? alias : undefined, type: true };
}

/** `logger.info()` to `getContext().logger.info()`, which needs a run around it. */
function takeFromContext(script: ScriptText, element: ts.ImportSpecifier, member: string): readonly Specifier[] {
  const { ts } = script;
  for (const use of script.references(element.name)) {
    const text = `getContext().${member}`;
    script.replace(use, ts.isShorthandPropertyAssignment(use.parent) ? `${use.text}: ${text}` : text);
    if (!isInFunction(script, use)) script.note(use, `"${use.text}" is used while the file is loaded, where no Step runs`, 'use it within the handler');
  }
  return [{ name: 'getContext', type: false }];
}

function isInFunction({ ts }: ScriptText, node: ts.Node): boolean {
  for (let outer: ts.Node | undefined = node; outer; outer = outer.parent as ts.Node | undefined) if (ts.isFunctionLike(outer)) return true;
  return false;
}

/** `jsonSchema(schema)` to the schema, which is taken as it is. */
function unwrap(script: ScriptText, element: ts.ImportSpecifier): readonly Specifier[] {
  for (const { parent } of script.references(element.name)) {
    const [schema] = script.ts.isCallExpression(parent) ? parent.arguments : [];
    if (schema) script.replace(parent, script.textOf(schema));
  }
  return [];
}
