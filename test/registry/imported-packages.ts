import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { everyFileBelow } from './every-file.js';

export interface PackageImport {
  readonly file: string;
  /** Name of the package, without the path inside. */
  readonly name: string;
}

/** Built programs and declarations; the engine's bundle contains its dependencies, and templates are no code of ours. */
const CODE = /^(dist(?!\/templates\/)|bin)\/.*\.(?:[cm]?js|d\.[cm]?ts)$/;
const BUNDLE = /^dist\/bundle\//;

/** Every package that the code of an unpacked package imports, requires or resolves by a literal name. */
export function importedPackages(folder: string): readonly PackageImport[] {
  const found = new Map<string, PackageImport>();
  for (const path of everyFileBelow(folder)) {
    const file = relative(folder, path);
    if (!CODE.test(file) || BUNDLE.test(file)) continue;
    for (const specifier of specifiersOf(path)) {
      if (/^[.#/]|^node:/.test(specifier)) continue;
      const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
      if (!found.has(name)) found.set(name, { file: join(file), name });
    }
  }
  return [...found.values()];
}

/** What a file imports, requires or resolves, as far as it names it by a literal. */
export function specifiersOf(path: string): readonly string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
  const loaders = new Set(['require', ...loadersOf(source)]);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const argument = specifierNode(node, loaders);
    if (argument && ts.isStringLiteralLike(argument)) found.push(argument.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function specifierNode(node: ts.Node, loaders: ReadonlySet<string>): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (!ts.isCallExpression(node)) return undefined;
  const { expression: callee } = node;
  const called = callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && loaders.has(callee.text)) || isCreateRequire(callee);
  return called ? node.arguments[0] : undefined;
}

/** Constants that hold `createRequire(…)`. */
function loadersOf(source: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer && isCreateRequire(node.initializer)) found.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isCreateRequire(node: ts.Node): boolean {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'createRequire';
}
