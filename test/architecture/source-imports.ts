import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from './workspace.js';

export interface SourceImport {
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  /** Vanishes when compiled. */
  readonly typeOnly: boolean;
  /** `import()` inside a function: no part of the order in which modules are set up. */
  readonly dynamic: boolean;
}

/** A finding as the tests print it. */
export function place(at: { readonly file: string; readonly line: number }): string {
  return `${at.file}:${at.line}`;
}

/** The source text of a file as a tree. */
export function parseSource(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.ES2022, true);
}

/** Every import, re-export and literal `import()` of a file. */
export function importsOf(file: string): readonly SourceImport[] {
  const source = parseSource(file);
  const found: SourceImport[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ file, line, specifier, typeOnly: isTypeOnly(node), dynamic: ts.isCallExpression(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Repository path of the file that a relative import means. */
export function targetOf(found: SourceImport): string {
  return relative(ROOT, join(ROOT, dirname(found.file), found.specifier.replace(/\.js$/, '.ts').replace(/\.mjs$/, '.mts')));
}

function specifierOf(node: ts.Node): string | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) return textOf(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return textOf(node.arguments[0]);
  return undefined;
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportTypeNode(node)) return true;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  if (!ts.isImportDeclaration(node)) return false;
  const clause = node.importClause;
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  return !clause.name && !!bindings && ts.isNamedImports(bindings) && bindings.elements.every((element) => element.isTypeOnly);
}
