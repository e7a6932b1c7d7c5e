import type ts from 'typescript';
import { posix } from 'node:path';
import { objectIn, textIn } from './objects.js';
import { ScriptText, type TypeScript } from './script-text.js';

/** Names of streams by the file without its ending, and by the name under which it exports the object. */
export type StreamObjects = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** `export const board = new Stream(config)` in all files of an application. */
export function findStreamObjects(typescript: TypeScript, files: readonly { readonly name: string; readonly text: string }[]): StreamObjects {
  const found = new Map<string, ReadonlyMap<string, string>>();
  for (const { name, text } of files) {
    if (!/\bnew Stream\s*(?:<[^>]*>)?\(/.test(text) || !/['"]motia['"]/.test(text)) continue;
    const declared = declarationsOf(new ScriptText(typescript, name, text));
    if (declared.length > 0) found.set(withoutEnding(name), new Map(declared.map(({ local, stream }) => [local.text, stream])));
  }
  return found;
}

/** Pass: what is done with such an object is done with the context's; the declaration goes. */
export function rewriteStreamObjects(script: ScriptText, objects: StreamObjects): void {
  const { ts } = script;
  for (const { local, stream, statement } of declarationsOf(script)) {
    replaceUses(script, local, stream);
    script.edits.replace(statement.getStart(script.source), endOfLine(script, statement.end), '');
  }
  for (const statement of script.source.statements) {
    const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    if (!ts.isImportDeclaration(statement) || !bindings || !ts.isNamedImports(bindings) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const exported = objects.get(withoutEnding(posix.join(posix.dirname(script.name), statement.moduleSpecifier.text)));
    const mine = bindings.elements.filter((one) => exported?.has((one.propertyName ?? one.name).text));
    if (mine.length === 0) continue;
    for (const one of mine) replaceUses(script, one.name, exported?.get((one.propertyName ?? one.name).text) ?? '');
    const rest = bindings.elements.filter((one) => !mine.includes(one)).map((one) => script.textOf(one));
    if (rest.length > 0) script.replace(bindings, `{ ${rest.join(', ')} }`);
    else script.edits.replace(statement.getStart(script.source), endOfLine(script, statement.end), '');
  }
}

interface Declared {
  readonly local: ts.Identifier;
  readonly stream: string;
  readonly statement: ts.VariableStatement;
}

function declarationsOf(script: ScriptText): readonly Declared[] {
  const { ts } = script;
  return script.source.statements.flatMap((statement) => {
    if (!ts.isVariableStatement(statement)) return [];
    const [only, more] = statement.declarationList.declarations;
    const made = only?.initializer;
    if (only === undefined || more !== undefined || !ts.isIdentifier(only.name) || !made || !ts.isNewExpression(made) || script.textOf(made.expression) !== 'Stream') return [];
    const stream = nameIn(script, made.arguments?.[0]);
    return stream === undefined ? [] : [{ local: only.name, stream, statement }];
  });
}

/** Name of the stream in the config that the object is made of: a name of its own, for the config itself has to stay. */
function nameIn(script: ScriptText, argument: ts.Expression | undefined): string | undefined {
  const { ts } = script;
  const declaration = argument && ts.isIdentifier(argument) ? script.symbol(argument)?.valueDeclaration : undefined;
  const config = declaration && ts.isVariableDeclaration(declaration) ? objectIn(ts, declaration.initializer) : undefined;
  return config && textIn(ts, config, 'name');
}

function replaceUses(script: ScriptText, local: ts.Identifier, stream: string): void {
  const { ts } = script;
  const text = `getContext().streams${/^[A-Za-z_$][\w$]*$/.test(stream) ? `.${stream}` : `[${JSON.stringify(stream)}]`}`;
  for (const use of script.references(local)) script.replace(use, ts.isShorthandPropertyAssignment(use.parent) ? `${use.text}: ${text}` : text);
}

/** Pass: imports `getContext` where it is used and nothing imports it. */
export function importContext(script: ScriptText): void {
  const { ts } = script;
  const imports = script.source.statements.filter((one): one is ts.ImportDeclaration => ts.isImportDeclaration(one));
  const isUsed = script.all(ts.isCallExpression).some((one) => script.textOf(one) === 'getContext()');
  const isKnown = script.source.statements.some((one) => (ts.isImportDeclaration(one) || ts.isVariableStatement(one) || ts.isFunctionDeclaration(one)) && declares(script, one));
  if (!isUsed || isKnown) return;
  const [first] = imports;
  const quote = first ? script.textOf(first.moduleSpecifier)[0] ?? "'" : "'";
  const semicolon = first && !script.textOf(first).endsWith(';') ? '' : ';';
  script.edits.insert(first?.getStart(script.source) ?? 0, `import { getContext } from ${quote}treadle${quote}${semicolon}\n`);
}

function declares(script: ScriptText, statement: ts.Statement): boolean {
  const { ts } = script;
  const names = script.all(ts.isIdentifier, statement).filter(({ text }) => text === 'getContext');
  return names.some(({ parent }) => ts.isImportSpecifier(parent) || ts.isVariableDeclaration(parent) || ts.isBindingElement(parent) || ts.isFunctionDeclaration(parent));
}

function endOfLine({ text }: ScriptText, end: number): number {
  return end + (/^[ \t]*\r?\n/.exec(text.slice(end))?.[0].length ?? 0);
}

function withoutEnding(path: string): string {
  return path.replace(/\.[cm]?[jt]s$/, '');
}
