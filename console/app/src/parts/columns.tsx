import { Fragment } from 'react';
import css from './columns.module.css';

/** A field's value in a column; nothing where there is none. */
export function columnText(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** Cells of the fields that are shown as columns. */
export function ColumnCells({ names, of }: { readonly names: readonly string[]; readonly of: (name: string) => unknown }) {
  return names.map((name) => {
    const text = columnText(of(name));
    return <Fragment key={name}><span className={css.cell} {...text !== '' && { title: `${name}: ${text}` }}>{text}</span>{' '}</Fragment>;
  });
}

/** Their names above the list; a click takes a column away. */
export function ColumnHeads({ names, onDrop }: { readonly names: readonly string[]; readonly onDrop: (name: string) => void }) {
  return names.map((name) => <button key={name} type="button" className={css.cell} title={`${name}: take the column away`} aria-label={`Take the column ${name} away`} onClick={() => onDrop(name)}>{name} ✕</button>);
}
