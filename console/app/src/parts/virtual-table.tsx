import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { classes } from './controls.js';
import table from './table.module.css';

interface Props<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly label: string;
  /** Of every row: their cells do not break. */
  readonly rowHeight: number;
  /** Cells of the head, `th`. */
  readonly head: ReactNode;
  /** Cells of a row, `td`. */
  readonly render: (item: T, index: number) => ReactNode;
  /** Row that is marked, and kept in sight when it changes. */
  readonly current?: number;
  /** Further rows at the end. */
  readonly children?: ReactNode;
}

/** Up to so many rows all are drawn: they can be searched by the browser, and columns are as wide as they need to be. */
const ALL = 150;
const OVERSCAN = 20;

/** A table of which, when it is long, only the rows in sight are drawn; all of them when it is printed. */
export function VirtualTable<T>({ items, keyOf, label, rowHeight, head, render, current = -1, children }: Props<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const isWhole = usePrinting() || items.length <= ALL;
  const rows = useVirtualizer({ count: items.length, enabled: !isWhole, getScrollElement: () => frame.current, estimateSize: () => rowHeight, overscan: OVERSCAN });
  const drawn = rows.getVirtualItems();
  useEffect(() => {
    if (current >= 0 && !isWhole) rows.scrollToIndex(current, { align: 'auto' });
  }, [current]);
  const [from, to] = isWhole ? [0, items.length] : [drawn[0]?.index ?? 0, (drawn.at(-1)?.index ?? -1) + 1];
  return (
    <div ref={frame} className={table.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={classes(table.table, !isWhole && table.fixed)} aria-rowcount={items.length + 1}>
        <thead><tr aria-rowindex={1}>{head}</tr></thead>
        <tbody>
          {from > 0 && <tr aria-hidden="true" style={{ height: from * rowHeight }} />}
          {items.slice(from, to).map((item, at) => <Row key={keyOf(item)} item={item} index={from + at} isCurrent={from + at === current} height={rowHeight} render={render as RowProps['render']} />)}
          {to < items.length && <tr aria-hidden="true" style={{ height: (items.length - to) * rowHeight }} />}
          {children}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly item: unknown;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly height: number;
  readonly render: (item: unknown, index: number) => ReactNode;
}

/** Drawn again only when something of it has changed: scrolling leaves rows that stay in sight alone. */
const Row = memo(({ item, index, isCurrent, height, render }: RowProps) => <tr aria-rowindex={index + 2} data-current={isCurrent} style={{ height }}>{render(item, index)}</tr>);

/** Whether the page is being printed; it is drawn anew before it is. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}
