import { memo, useRef } from 'react';
import type { LogPage, LogRecord } from '../../api/types.generated.js';
import { count } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { Button, classes, Kbd } from '../../parts/controls.js';
import { ColumnCells, ColumnHeads } from '../../parts/columns.js';
import { Note } from '../../parts/data-state.js';
import { Time } from '../../parts/time.js';
import viewCss from '../../parts/view.module.css';
import { type ListHandle, VirtualList } from '../../parts/virtual-list.js';
import { useParam } from '../../url/location.js';
import { useColumns } from '../../url/use-columns.js';
import { Level } from './level.js';
import { LogInspector } from './log-inspector.js';
import { fieldWords } from './log-line.js';
import css from './logs.module.css';
import { useLineKeys } from './use-line-keys.js';
import { type LogQuestion, type TailRow, useTail } from './use-tail.js';

const ROW = 26;

interface Props {
  readonly page: LogPage;
  readonly asked: LogQuestion;
  readonly onQuery: (q: string) => void;
}

/** The newest line is at the top, and while it is in sight new ones come in; or the oldest is, and none do. */
export function LogTail({ page, asked, onQuery }: Props) {
  const { q, order } = asked;
  const { rows, fresh, take, setEdge, older } = useTail(page, asked);
  const [line, setLine] = useParam('line');
  const [wrap] = useParam('wrap');
  const wraps = wrap !== '';
  const [columns, dropColumn] = useColumns();
  const list = useRef<ListHandle>(null);
  const at = rows.findIndex(({ id }) => String(id) === line);
  const selected = rows[at];
  const pick = (id: number | string): void => setLine(String(id), { replace: new URLSearchParams(location.search).has('line') });
  const toLive = (): void => {
    take();
    list.current?.toStart();
  };
  useRowKeys(rows.length, at, { onMove: (to) => void (rows[to] && pick(rows[to].id)) });
  useCommands([{ title: 'Jump to live', keys: ['G'], run: toLive }]);
  useLineKeys(selected && 'level' in selected ? selected : undefined, q, onQuery);
  return (
    <>
      <div className={viewCss.anchor}>
        {columns.length > 0 && <div className={`${css.line} ${css.heads}`}><span className={css.words}><ColumnHeads names={columns} onDrop={dropColumn} /></span></div>}
        <VirtualList<TailRow>
          items={rows} keyOf={({ id }) => id} rowHeight={ROW} measured={wraps} label={`Log lines, the ${order === 'asc' ? 'oldest' : 'newest'} first`} role="listbox" current={line === '' ? undefined : at} handle={list} onEnd={older} onAtStart={setEdge}
          render={(row) => ('missing' in row ? <Note>{row.missing}</Note> : <Row line={row} selected={String(row.id) === line} wraps={wraps} columns={columns} onPick={pick} />)}
        />
        {fresh > 0 && <div className={viewCss.pill}><Button look="primary" onClick={toLive}>{count(fresh)} new · jump to live <Kbd>G</Kbd></Button></div>}
      </div>
      {selected && 'level' in selected && <LogInspector line={selected} q={q} onQuery={onQuery} onClose={() => setLine(null)} />}
    </>
  );
}

interface RowProps {
  readonly line: LogRecord;
  readonly selected: boolean;
  /** Long lines are broken instead of cut. */
  readonly wraps: boolean;
  readonly columns: readonly string[];
  readonly onPick: (id: number) => void;
}

const Row = memo(function Row({ line, selected, wraps, columns, onPick }: RowProps) {
  return (
    <div role="option" aria-selected={selected} className={classes(css.line, wraps && css.wraps)} onClick={() => onPick(line.id)}>
      <span className="muted truncate"><Time at={line.timestamp} /></span><Level level={line.level} />
      <span className={classes(css.wide, 'truncate')}>{line.stepName || <span className="muted">engine</span>}</span>
      <span className={css.words}><ColumnCells names={columns} of={(name) => line.fields?.[name]} /><span className={wraps ? undefined : 'truncate'}><span className={line.level === 'error' ? css.error : undefined}>{line.message}</span> <span className="muted">{fieldWords(line.fields)}</span></span></span>
      <span className={classes(css.wide, 'muted')}>{/^0*$/.test(line.traceId) ? '' : line.traceId.slice(0, 8)}</span>
    </div>
  );
}, (before, after) => before.line === after.line && before.selected === after.selected && before.wraps === after.wraps && before.columns.join() === after.columns.join());
