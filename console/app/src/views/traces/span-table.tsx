import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { ColumnCells, ColumnHeads } from '../../parts/columns.js';
import { VirtualList } from '../../parts/virtual-list.js';
import viewCss from '../../parts/view.module.css';
import { useColumns } from '../../url/use-columns.js';
import css from './trace-detail.module.css';

const ROW = 28;

/** All spans, the longest first. */
export function SpanTable({ rows, selected, onSelect }: { readonly rows: readonly SpanRow[]; readonly selected: string; readonly onSelect: (spanId: string) => void }) {
  const sorted = useMemo(() => [...rows].sort((a, b) => b.durationMs - a.durationMs), [rows]);
  const [columns, onColumn] = useColumns();
  return (
    <>
    {columns.length > 0 && <div className={css.columns}><ColumnHeads names={columns} onDrop={onColumn} /></div>}
    <VirtualList
      items={sorted} keyOf={({ spanId }) => spanId} rowHeight={ROW} label="Spans by duration" role="listbox"
      render={(span) => (
        <div role="option" aria-selected={span.spanId === selected} className={viewCss.rowButton} onClick={() => onSelect(span.spanId)}>
          <span className="num" style={{ width: 80, flex: 'none' }}>{duration(span.durationMs)}</span><span className="grow truncate">{span.name}</span><span className="muted truncate">{span.stepName}</span><span className="muted">{span.error ? `■ ${span.error.type}` : span.kind}</span><ColumnCells names={columns} of={(name) => span.attributes[name]} />
        </div>
      )}
    />
    </>
  );
}
