import type { LogLevel } from '../../api/types.generated.js';
import css from './level.module.css';

const SHAPES: Readonly<Record<LogLevel, string>> = { debug: '·', info: '●', warn: '▲', error: '■' };

/** A level as shape, word and colour. */
export function Level({ level }: { readonly level: LogLevel }) {
  return <span className={css[level]}><span className={css.shape} aria-hidden="true">{SHAPES[level]}</span>{level}</span>;
}
