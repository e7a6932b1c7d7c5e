/** A file of the application in the editor that the person chose. */
export function editorLink(root: string, file: string, line?: number): string {
  const place = `${root.replace(/\/$/, '')}/${file}`;
  return `${editorScheme()}://file${place}${line === undefined ? '' : `:${line}`}`;
}

function editorScheme(): string {
  try {
    return localStorage.getItem('treadle.editor') ?? 'vscode';
  } catch {
    return 'vscode';
  }
}
