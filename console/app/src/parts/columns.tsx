import css from './columns.module.css';

/** Cells of the fields that are shown as columns. */
export function ColumnCells({ names, of }: { readonly names: readonly string[]; readonly of: (name: string) => unknown }) {
  return names.map((name) => {
    const value = of(name);
    const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    return <span key={name} className={css.cell} {...text !== '' && { title: `${name}: ${text}` }}>{text}</span>;
  });
}

/** Their names above the list; a click takes a column away. */
export function ColumnHeads({ names, onDrop }: { readonly names: readonly string[]; readonly onDrop: (name: string) => void }) {
  return names.map((name) => <button key={name} type="button" className={css.cell} title={`${name}: take the column away`} aria-label={`Take the column ${name} away`} onClick={() => onDrop(name)}>{name} ✕</button>);
}
