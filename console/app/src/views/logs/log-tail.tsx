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
import { FarLine } from './far-line.js';
import { LogInspector } from './log-inspector.js';
import { fieldWords } from './log-line.js';
import css from './logs.module.css';
import { keyOf, linesOf, type RepeatedLine, type ShownRow } from './repeats.js';
import { useLineKeys } from './use-line-keys.js';
import { useShownRows } from './use-shown-rows.js';
import { type LogQuestion, useTail } from './use-tail.js';

const ROW = 26;

interface Props {
  readonly page: LogPage;
  readonly asked: LogQuestion;
  /** Lines have come. */
  readonly onCome: () => void;
  readonly onQuery: (q: string) => void;
}

/** The newest line is at the top, and while it is in sight new ones come in; or the oldest is, and none do. */
export function LogTail({ page, asked, onCome, onQuery }: Props) {
  const { q, order } = asked;
  const { rows: tail, fresh, take, setEdge, older } = useTail(page, asked, onCome);
  const [line, setLine] = useParam('line');
  const { rows, at, unfold } = useShownRows(tail, line);
  const [wrap] = useParam('wrap');
  const wraps = wrap !== '';
  const [columns, dropColumn] = useColumns();
  const list = useRef<ListHandle>(null);
  const row = rows[at];
  const selected = row && linesOf(row).find(({ id }) => String(id) === line);
  const pick = (id: number | string): void => setLine(String(id), { replace: new URLSearchParams(location.search).has('line') });
  const toLive = (): void => {
    take();
    list.current?.toStart();
  };
  useRowKeys(rows.length, at, { onMove: (to) => void (rows[to] && pick(linesOf(rows[to])[0]?.id ?? keyOf(rows[to]))) });
  useCommands([{ title: 'Jump to live', keys: ['G'], run: toLive }]);
  useLineKeys(selected, q, onQuery);
  return (
    <>
      <div className={viewCss.anchor}>
        {columns.length > 0 && <div className={`${css.line} ${css.heads}`}><span className={css.words}><ColumnHeads names={columns} onDrop={dropColumn} /></span></div>}
        <VirtualList<ShownRow>
          items={rows} keyOf={keyOf} rowHeight={ROW} measured={wraps} label={`Log lines, the ${order === 'asc' ? 'oldest' : 'newest'} first`} role="listbox" current={line === '' ? undefined : at} handle={list} onEnd={older} things={tail.length} onAtStart={setEdge}
          render={(one, index) => ('missing' in one ? <Note>{one.missing}</Note> : <Row row={one} selected={index === at} wraps={wraps} columns={columns} onPick={pick} onUnfold={unfold} />)}
        />
        {fresh > 0 && <div className={viewCss.pill}><Button look="primary" onClick={toLive}>{count(fresh)} new · jump to live <Kbd>G</Kbd></Button></div>}
      </div>
      {selected && row && <LogInspector line={selected} run={linesOf(row)} q={q} onQuery={onQuery} onClose={() => setLine(null)} />}
      {at < 0 && line !== '' && <FarLine key={line} id={line} q={q} onQuery={onQuery} onClose={() => setLine(null)} />}
    </>
  );
}

interface RowProps {
  readonly row: LogRecord | RepeatedLine;
  readonly selected: boolean;
  /** Long lines are broken instead of cut. */
  readonly wraps: boolean;
  readonly columns: readonly string[];
  readonly onPick: (id: number) => void;
  readonly onUnfold: (row: RepeatedLine) => void;
}

const Row = memo(function Row({ row, selected, wraps, columns, onPick, onUnfold }: RowProps) {
  const line = 'lines' in row ? row.lines[0] : row;
  return (
    <div role="option" aria-selected={selected} className={classes(css.line, wraps && css.wraps)} onClick={() => onPick(line.id)}>
      <span className="muted truncate"><Time at={line.timestamp} /></span><Level level={line.level} />
      <span className={classes(css.wide, 'truncate')}>{line.stepName || <span className="muted">engine</span>}</span>
      <span className={css.words}>{'lines' in row && <Times row={row} onUnfold={onUnfold} />}<ColumnCells names={columns} of={(name) => line.fields?.[name]} /><span className={wraps ? undefined : 'truncate'}><span className={line.level === 'error' ? css.error : undefined}>{line.message}</span> <span className="muted">{fieldWords(line.fields)}</span></span></span>
      <span className={classes(css.wide, 'muted')}>{tracesOf(row)}</span>
    </div>
  );
}, (before, after) => isSameRow(before.row, after.row) && before.selected === after.selected && before.wraps === after.wraps && before.columns.join() === after.columns.join());

/** A run of the same lines is another array each time that some come. */
function isSameRow(a: RowProps['row'], b: RowProps['row']): boolean {
  return a === b || ('lines' in a && 'lines' in b && a.lines[0] === b.lines[0] && a.lines.length === b.lines.length);
}

/** How often a line stands there, and since when; a click unfolds them. The arrows do so, too. */
function Times({ row, onUnfold }: { readonly row: RepeatedLine; readonly onUnfold: (row: RepeatedLine) => void }) {
  return (
    <span className={css.times} title={`${count(row.lines.length)} times the same, from ${row.lines.at(-1)?.timestamp ?? ''} to ${row.lines[0].timestamp}; a click shows each`} onClick={(event) => {
      event.stopPropagation();
      onUnfold(row);
    }}><span aria-hidden="true">×</span>{count(row.lines.length)}<span className="hidden-text"> times the same: </span></span>
  );
}

function tracesOf(row: RowProps['row']): string {
  const ids = new Set(linesOf(row).map(({ traceId }) => traceId).filter((traceId) => !/^0*$/.test(traceId)));
  const [first = ''] = ids;
  return ids.size > 1 ? `${count(ids.size)} traces` : first.slice(0, 8);
}
