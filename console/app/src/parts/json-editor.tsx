import { lazily } from './lazily.js';

export interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly readOnly?: boolean;
}

/** An editor of JSON. */
export const JsonEditor = lazily(() => import('../editor/code-editor.js'), 'the editor');

/** Two texts beside each other with their differences; the right one can be edited. */
export const JsonMerge = lazily(() => import('../editor/merge-editor.js'), 'the differences');
