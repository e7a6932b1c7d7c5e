import type { StepSource } from '../../api/types.generated.js';
import css from './source.module.css';

/** Lines of a file with their numbers; the one that is meant is marked and in sight. */
export function SourceLines({ source: { text, from, line } }: { readonly source: StepSource }) {
  return <pre className={css.source} tabIndex={0}>{text.split('\n').map((one, at) => <span key={from + at} {...from + at === line && { className: css.marked, 'aria-current': 'location', ref: intoSight }}><i>{from + at}</i>{one}{'\n'}</span>)}</pre>;
}

const intoSight = (line: HTMLElement | null): void => line?.scrollIntoView({ block: 'nearest' });
