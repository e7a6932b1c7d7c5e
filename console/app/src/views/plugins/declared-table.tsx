import type { ViewTable } from '../../api/types.generated.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { classes } from '../../parts/controls.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { Cell } from './cell.js';
import { fieldOf, keyText } from './module-route.js';
import css from './plugins.module.css';

const ROW = 30;

interface Props {
  readonly table: ViewTable;
  readonly title: string;
  readonly rows: readonly unknown[];
  readonly selected: string;
  readonly onSelect: (key: string) => void;
}

/** Rows of a plugin's answer, of which only those in sight are drawn. */
export function DeclaredTable({ table: { key, columns }, title, rows, selected, onSelect }: Props) {
  const at = rows.findIndex((row) => keyText(row, key) === selected);
  const open = (to: number): void => onSelect(keyText(rows[to], key));
  useRowKeys(rows.length, at, { onMove: open });
  const style = { gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))` };
  return (
    <div className={css.table}>
      <div className={classes(css.row, css.head)} style={style} aria-hidden="true">{columns.map(({ field, title: name = field }) => <span key={field}>{name}</span>)}</div>
      <VirtualList<unknown> items={rows} keyOf={(row) => keyText(row, key)} rowHeight={ROW} label={title} role="listbox" current={at} render={(row, index) => (
        <div role="option" aria-selected={index === at} className={css.row} style={style} onClick={() => open(index)}>
          {columns.map(({ field, title: name = field, as }) => <span key={field} className="truncate" title={name}><Cell value={fieldOf(row, field)} as={as} /></span>)}
        </div>
      )} />
    </div>
  );
}
