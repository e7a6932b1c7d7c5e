import { Suspense } from 'react';
import { Loading } from './data-state.js';
import { lazily } from './lazily.js';

export interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly readOnly?: boolean;
}

const Editor = lazily(() => import('../editor/code-editor.js'));
const Merge = lazily(() => import('../editor/merge-editor.js'));

/** An editor of JSON; loaded when first needed. */
export function JsonEditor(props: JsonEditorProps) {
  return <Suspense fallback={<Loading what="the editor" />}><Editor {...props} /></Suspense>;
}

/** Two texts beside each other with their differences; the right one can be edited. */
export function JsonMerge(props: { readonly before: string; readonly after: string; readonly onChange?: (text: string) => void; readonly labels: readonly [string, string] }) {
  return <Suspense fallback={<Loading what="the differences" />}><Merge {...props} /></Suspense>;
}
