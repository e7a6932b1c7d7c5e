import { useApi } from '../api/use-api.js';
import { Link } from '../url/link.js';
import { editorLink } from '../url/editor-link.js';
import { paths } from '../url/paths.js';
import css from './refs.module.css';

const ID_DIGITS = 8;

/** What a chip stands for. `RefLayer` has a card and a menu for each. */
export type RefKind = 'trace' | 'step' | 'topic' | 'key' | 'file';

/** The attributes by which a chip says what it stands for; `group` is that of a key. */
export function refAttributes(kind: RefKind, id: string, group?: string) {
  return { 'data-ref': kind, 'data-id': id, ...group !== undefined && { 'data-group': group } };
}

/** A trace by the first digits of its id. */
export function TraceRef({ id, span }: { readonly id: string; readonly span?: string }) {
  if (/^0*$/.test(id)) return null;
  return <Link className={css.ref} to={paths.trace(id, span)} {...refAttributes('trace', id)}>{id.slice(0, ID_DIGITS)}</Link>;
}

export function StepRef({ step }: { readonly step: string }) {
  return <Link className={css.name} to={paths.flowStep(step)} {...refAttributes('step', step)}>{step}</Link>;
}

export function TopicRef({ topic, tab }: { readonly topic: string; readonly tab?: string }) {
  return <Link className={css.ref} to={paths.topic(topic, tab)} {...refAttributes('topic', topic)}>{topic === '' ? 'state and stream changes' : topic}</Link>;
}

export function KeyRef({ group, name }: { readonly group: string; readonly name: string }) {
  return <Link className={css.ref} to={paths.stateKey(group, name)} {...refAttributes('key', name, group)}>{group}/{name}</Link>;
}

/** A place in the code; opens the person's editor. */
export function FileRef({ file, line }: { readonly file: string; readonly line?: number | undefined }) {
  const meta = useApi('GET /meta');
  const text = line === undefined ? file : `${file}:${line}`;
  return meta.data ? <a className={css.ref} href={editorLink(meta.data.root, file, line)} title="Open in the editor" {...refAttributes('file', text)}>{text}</a> : <span className="mono">{text}</span>;
}
