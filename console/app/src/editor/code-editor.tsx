import { Annotation, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { JsonEditorProps } from '../parts/json-editor.js';
import { jsonSetup, shadowOf } from './setup.js';

/** Marks a text that came from outside: nobody is told what they said. */
const given = Annotation.define<true>();

export default function CodeEditor({ label, value, onChange, readOnly = false }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  /** What was told and has not come back yet as `value`; whoever types is ahead of it. */
  const ahead = useRef<string[]>([]);
  useEffect(() => {
    ahead.current = [];
    const told = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (!docChanged || transactions.some((one) => one.annotation(given))) return;
      ahead.current.push(state.doc.toString());
      changed.current(state.doc.toString());
    });
    if (!place.current) return undefined;
    const root = shadowOf(place.current);
    const made = new EditorView({ parent: root, root, state: EditorState.create({ doc: value, extensions: [jsonSetup(label), told, EditorState.readOnly.of(readOnly)] }) });
    view.current = made;
    return () => made.destroy();
  }, [readOnly, label]);
  useEffect(() => {
    const current = view.current;
    const own = ahead.current.lastIndexOf(value);
    ahead.current.splice(0, own < 0 ? Infinity : own + 1);
    if (own >= 0 || !current || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value }, annotations: given.of(true) });
  }, [value]);
  return <div ref={place} data-editor />;
}
