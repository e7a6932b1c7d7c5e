import type ts from 'typescript';
import { TextEdits } from '../text-edits.js';
import type { Rewritten, TextNote } from '../migration.js';

export type TypeScript = typeof ts;

/** A file of TypeScript or JavaScript while one pass goes over it: its tree, what its names mean, and the changes so far. */
export class ScriptText {
  readonly edits: TextEdits;
  readonly notes: TextNote[] = [];
  readonly source: ts.SourceFile;
  private readonly checker: ts.TypeChecker;

  /** `name` tells the language by its ending. */
  constructor(readonly ts: TypeScript, readonly name: string, readonly text: string) {
    this.edits = new TextEdits(text);
    const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    this.source = source;
    this.checker = programOf(ts, source).getTypeChecker();
  }

  /** What the parser could not read, if there is such a thing: then nothing is touched. */
  syntaxFault(): TextNote | undefined {
    const [fault] = (this.source as unknown as { readonly parseDiagnostics: readonly ts.DiagnosticWithLocation[] }).parseDiagnostics;
    if (fault === undefined) return undefined;
    const text = this.ts.flattenDiagnosticMessageText(fault.messageText, ' ');
    return { line: this.lineAt(fault.start), reason: `the file cannot be parsed: ${text}`, remedy: 'mend it, then run the command again' };
  }

  /** What an identifier stands for; names that are imported or come from elsewhere have a symbol of the import. */
  symbol(node: ts.Node): ts.Symbol | undefined {
    const parent = node.parent as ts.Node | undefined;
    if (parent && this.ts.isShorthandPropertyAssignment(parent)) return this.checker.getShorthandAssignmentValueSymbol(parent);
    if (parent && this.ts.isExportSpecifier(parent)) return this.checker.getExportSpecifierLocalTargetSymbol(parent);
    return this.checker.getSymbolAtLocation(node);
  }

  /** All identifiers that stand for the same thing as the declaring one, itself left out. */
  references(declaring: ts.Identifier): readonly ts.Identifier[] {
    const wanted = this.symbol(declaring);
    if (wanted === undefined) return [];
    return this.all(this.ts.isIdentifier).filter((node) => node !== declaring && node.text === declaring.text && this.symbol(node) === wanted);
  }

  /** All nodes of one sort, in the order of the text. */
  all<T extends ts.Node>(is: (node: ts.Node) => node is T, root: ts.Node = this.source): readonly T[] {
    const found: T[] = [];
    const visit = (node: ts.Node): void => {
      if (is(node)) found.push(node);
      this.ts.forEachChild(node, visit);
    };
    visit(root);
    return found;
  }

  textOf(node: ts.Node): string {
    return this.text.slice(node.getStart(this.source), node.end);
  }

  replace(node: ts.Node, text: string): void {
    this.edits.replace(node.getStart(this.source), node.end, text);
  }

  note(node: ts.Node, reason: string, remedy: string): void {
    this.notes.push({ line: this.lineAt(node.getStart(this.source)), reason, remedy });
  }

  /** White space in front of the line that a node begins in. */
  indentOf(node: ts.Node): string {
    const start = node.getStart(this.source);
    const lineStart = this.text.lastIndexOf('\n', start - 1) + 1;
    return /^[ \t]*/.exec(this.text.slice(lineStart, start))?.[0] ?? '';
  }

  result(): Rewritten {
    return { text: this.edits.apply(), notes: this.notes };
  }

  private lineAt(position: number): number {
    return this.source.getLineAndCharacterOfPosition(position).line + 1;
  }
}

/** A program of one file that looks nowhere else: names are resolved within it. */
function programOf(ts: TypeScript, source: ts.SourceFile): ts.Program {
  const host: ts.CompilerHost = {
    fileExists: (file) => file === source.fileName,
    readFile: () => undefined,
    getSourceFile: (file) => (file === source.fileName ? source : undefined),
    getDefaultLibFileName: () => '',
    writeFile: () => undefined,
    getCurrentDirectory: () => '',
    getCanonicalFileName: (file) => file,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
  };
  return ts.createProgram([source.fileName], { noLib: true, noResolve: true, allowJs: true, types: [] }, host);
}
