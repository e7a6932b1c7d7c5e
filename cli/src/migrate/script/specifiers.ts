import type { ScriptText } from './script-text.js';

/** What an import says after files were renamed; undefined where it stays. */
export type RenamedImport = (specifier: string) => string | undefined;

/** Pass: imports and re-exports of files that get another name. */
export function rewriteSpecifiers(script: ScriptText, renamed: RenamedImport): void {
  const { ts } = script;
  for (const literal of script.all(ts.isStringLiteral)) {
    const { parent } = literal;
    const isLoad = ts.isCallExpression(parent) && (parent.expression.kind === ts.SyntaxKind.ImportKeyword || script.textOf(parent.expression) === 'require');
    if (!ts.isImportDeclaration(parent) && !ts.isExportDeclaration(parent) && !isLoad) continue;
    const wanted = renamed(literal.text);
    const quote = script.textOf(literal)[0] ?? "'";
    if (wanted !== undefined) script.replace(literal, quote + wanted + quote);
  }
}
