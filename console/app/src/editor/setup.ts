import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The page's own tokens; the editor brings no colours. */
const look = EditorView.theme({
  '&': { backgroundColor: 'var(--bg)', color: 'var(--text)', fontSize: 'var(--text-m)', border: '1px solid var(--line-strong)', borderRadius: 'var(--radius)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', maxHeight: '46vh' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--text-3)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-changedLine': { backgroundColor: 'var(--warn-soft) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft) !important' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' }, { tag: tags.string, color: 'var(--ok)' }, { tag: tags.number, color: 'var(--warn)' }, { tag: [tags.bool, tags.null], color: 'var(--violet)' },
]);

/** What every JSON editor of the page has; `mod+Enter` stays the page's. */
export function jsonSetup(label: string): Extension {
  return [
    lineNumbers(), history(), json(), indentOnInput(), bracketMatching(), syntaxHighlighting(colours), look, EditorView.lineWrapping,
    keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap]), EditorView.contentAttributes.of({ 'aria-label': label }),
  ];
}

/** The editor lives in a shadow root: there it brings its styles as style sheet objects, while as elements the page's policy would refuse them. */
export function shadowOf(place: HTMLElement): ShadowRoot {
  return place.shadowRoot ?? place.attachShadow({ mode: 'open' });
}
