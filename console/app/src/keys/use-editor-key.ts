import { useApi } from '../api/use-api.js';
import { editorLink } from '../url/editor-link.js';
import { useCommands } from './commands.js';

/** `e` opens a file of the application in the person's editor; without a file it does nothing. */
export function useEditorKey(file: string | undefined, line?: number): void {
  const root = useApi('GET /meta').data?.root;
  useCommands(file === undefined || root === undefined ? [] : [{ title: 'Open in the editor', keys: ['e'], run: () => void (location.href = editorLink(root, file, line)) }]);
}
