import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { JsonEditorProps } from '../parts/json-editor.js';
import { jsonSetup, shadowOf } from './setup.js';

export default function CodeEditor({ label, value, onChange, readOnly = false }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => {
    const told = EditorView.updateListener.of(({ docChanged, state }) => void (docChanged && changed.current(state.doc.toString())));
    if (!place.current) return undefined;
    const root = shadowOf(place.current);
    const made = new EditorView({ parent: root, root, state: EditorState.create({ doc: value, extensions: [jsonSetup(label), told, EditorState.readOnly.of(readOnly)] }) });
    view.current = made;
    return () => made.destroy();
  }, [readOnly, label]);
  useEffect(() => {
    const current = view.current;
    if (current && current.state.doc.toString() !== value) current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={place} data-editor />;
}
