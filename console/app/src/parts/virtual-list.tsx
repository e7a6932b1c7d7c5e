import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type Ref, useCallback, useEffect, useId, useImperativeHandle, useRef } from 'react';
import table from './table.module.css';

/** How others steer the list. */
export interface ListHandle {
  toStart(): void;
}

interface Props<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T, index: number) => string | number;
  /** Least height of the rows; of an item, where they differ. */
  readonly rowHeight: number | ((item: T) => number);
  /** Rows may be higher: each is measured when it is drawn. */
  readonly measured?: boolean;
  readonly label: string;
  readonly render: (item: T, index: number) => ReactNode;
  /** Row that is kept in sight when it changes. */
  readonly current?: number | undefined;
  /** Called near the last row, and again when there is more and it is still near. */
  readonly onEnd?: () => void;
  /** How many things the rows stand for, where one row may stand for several. */
  readonly things?: number;
  /** Whether the first row is in sight. */
  readonly onAtStart?: (atStart: boolean) => void;
  readonly role?: 'listbox' | 'tree' | 'list';
  readonly handle?: Ref<ListHandle>;
}

const OVERSCAN = 12;

/** Rows of one height, or at least of one, of which only those in sight are drawn. */
export function VirtualList<T>({ items, keyOf, rowHeight, measured = false, label, render, current, onEnd, things, onAtStart, role = 'list', handle }: Props<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const heightOf = (item: T): number => (typeof rowHeight === 'number' ? rowHeight : rowHeight(item));
  const latestKeyOf = useRef(keyOf);
  latestKeyOf.current = keyOf;
  // With another function all rows are placed anew, in each frame that scrolls.
  const getItemKey = useCallback((at: number) => latestKeyOf.current(items[at] as T, at), [items]);
  const rows = useVirtualizer({ count: items.length, getScrollElement: () => frame.current, estimateSize: (at) => heightOf(items[at] as T), overscan: OVERSCAN, getItemKey });
  const drawn = rows.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  useImperativeHandle(handle, () => ({ toStart: () => frame.current?.scrollTo({ top: 0 }) }), []);
  useEffect(() => {
    if (current !== undefined && current >= 0) rows.scrollToIndex(current, { align: 'auto' });
  }, [current]);
  useEffect(() => {
    if (items.length > 0 && last >= items.length - OVERSCAN) onEnd?.();
  }, [last, items.length, things]);
  const meant = useRef<Element | null>(null);
  const id = useId();
  // The list has the focus: it says which row is meant.
  useEffect(() => {
    const row = (current !== undefined && frame.current?.querySelector(`[data-index="${current}"] :is([role=option], [role=treeitem])`)) || null;
    if (row === meant.current) return;
    meant.current?.removeAttribute('id');
    meant.current = row;
    if (row) row.id = id;
    frame.current?.[row ? 'setAttribute' : 'removeAttribute']('aria-activedescendant', id);
  });
  return (
    <div ref={frame} className={table.list} role={role} aria-label={label} tabIndex={0} onScroll={(event) => onAtStart?.(items[0] === undefined || event.currentTarget.scrollTop < heightOf(items[0]))}>
      <div className={table.inner} role="presentation" style={{ height: rows.getTotalSize() }}>
        {drawn.map(({ index, key, start }) => (
          <Row key={key} item={items[index]} index={index} start={start} height={heightOf(items[index] as T)} role={role === 'list' ? 'listitem' : 'presentation'} render={render as RowProps['render']} {...measured && { measure: rows.measureElement }} />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly item: unknown;
  readonly index: number;
  readonly start: number;
  readonly height: number;
  readonly role: string;
  readonly render: (item: unknown, index: number) => ReactNode;
  /** Present where the row may be higher. */
  readonly measure?: (row: HTMLElement | null) => void;
}

/** Drawn again only when something of it has changed: scrolling leaves rows that stay in sight alone. */
const Row = memo(({ item, index, start, height, role, render, measure }: RowProps) => (
  <div {...measure && { ref: measure }} data-index={index} role={role} className={table.line} style={{ [measure ? 'minHeight' : 'height']: height, transform: `translateY(${start}px)` }}>{render(item, index)}</div>
));
