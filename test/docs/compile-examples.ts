import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../architecture/workspace.js';
import { tempApplication } from '../support/temp-folder.js';
import type { Fence } from './markdown.js';

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, jsx: ts.JsxEmit.ReactJSX,
  strict: true, noEmit: true, skipLibCheck: true, types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')],
};

/** What the compiler finds in examples, each a file of its own in one program. */
export function compileFaults(examples: readonly Fence[]): readonly string[] {
  const folder = tempApplication({});
  const files = examples.map((fence, index) => ({ fence, path: join(folder, `example-${index}.${fence.language}`) }));
  for (const { fence, path } of files) writeFileSync(path, fence.text);
  const program = ts.createProgram(files.map(({ path }) => path), OPTIONS);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const source = files.find(({ path }) => path === diagnostic.file?.fileName)?.fence;
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
    return `${source?.file ?? diagnostic.file?.fileName}:${(source?.line ?? 0) + line + 1}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`;
  });
}
