import { MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { jsonSetup, shadowOf } from './setup.js';

interface Props {
  readonly before: string;
  readonly after: string;
  readonly onChange?: (text: string) => void;
  readonly labels: readonly [string, string];
}

export default function MergeEditor({ before, after, onChange, labels: [left, right] }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => {
    if (!place.current) return undefined;
    const root = shadowOf(place.current);
    const told = EditorView.updateListener.of(({ docChanged, state }) => void (docChanged && changed.current?.(state.doc.toString())));
    const view = new MergeView({
      parent: root, root, a: { doc: before, extensions: [jsonSetup(left), EditorState.readOnly.of(true)] },
      b: { doc: after, extensions: [jsonSetup(right), told, ...onChange ? [] : [EditorState.readOnly.of(true)]] },
    });
    return () => view.destroy();
  }, [before]);
  return <div><div className="row muted"><span className="grow">{left}</span><span className="grow">{right}</span></div><div ref={place} data-editor /></div>;
}
