import { Link } from '../url/link.js';
import { editorLink, paths } from '../url/paths.js';
import { useApi } from '../api/use-api.js';
import css from './refs.module.css';

const ID_DIGITS = 8;

/** A trace by the first digits of its id. */
export function TraceRef({ id, span }: { readonly id: string; readonly span?: string }) {
  if (/^0*$/.test(id)) return null;
  return <Link className={css.ref} to={paths.trace(id, span)} title={`Trace ${id}`}>{id.slice(0, ID_DIGITS)}</Link>;
}

export function StepRef({ step }: { readonly step: string }) {
  return <Link className={css.name} to={paths.flowStep(step)} title={`Step ${step} in its flow`}>{step}</Link>;
}

export function TopicRef({ topic, tab }: { readonly topic: string; readonly tab?: string }) {
  return <Link className={css.ref} to={paths.topic(topic, tab)} title={`Queue ${topic}`}>{topic === '' ? 'state and stream changes' : topic}</Link>;
}

export function KeyRef({ group, name }: { readonly group: string; readonly name: string }) {
  return <Link className={css.ref} to={paths.stateKey(group, name)} title="State">{group}/{name}</Link>;
}

/** A place in the code; opens the person's editor. */
export function FileRef({ file, line }: { readonly file: string; readonly line?: number | undefined }) {
  const meta = useApi('GET /meta');
  const text = line === undefined ? file : `${file}:${line}`;
  return meta.data ? <a className={css.ref} href={editorLink(meta.data.root, file, line)} title="Open in the editor">{text}</a> : <span className="mono">{text}</span>;
}
