import { memo, useRef } from 'react';
import type { LogPage, LogRecord } from '../../api/types.generated.js';
import { count } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { Button, classes, Kbd } from '../../parts/controls.js';
import { Note } from '../../parts/data-state.js';
import { Time } from '../../parts/time.js';
import viewCss from '../../parts/view.module.css';
import { type ListHandle, VirtualList } from '../../parts/virtual-list.js';
import { navigate, useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { Level } from './level.js';
import { LogInspector } from './log-inspector.js';
import { fieldWords } from './log-line.js';
import css from './logs.module.css';
import { type TailRow, useTail } from './use-tail.js';

const ROW = 26;

interface Props {
  readonly page: LogPage;
  readonly q: string;
  readonly follows: boolean;
  readonly onQuery: (q: string) => void;
}

/** The newest line is at the top; while it is in sight new ones come in. */
export function LogTail({ page, q, follows, onQuery }: Props) {
  const { rows, fresh, take, setEdge, older } = useTail(page, q, follows);
  const [line, setLine] = useParam('line');
  const list = useRef<ListHandle>(null);
  const at = rows.findIndex(({ id }) => String(id) === line);
  const selected = rows[at];
  const pick = (id: number | string): void => setLine(String(id), { replace: line !== '' });
  const toLive = (): void => {
    take();
    list.current?.toStart();
  };
  useRowKeys(rows.length, at, { onMove: (to) => void (rows[to] && pick(rows[to].id)) });
  useCommands([
    { title: 'Jump to live', keys: ['G'], run: toLive },
    ...selected && 'traceId' in selected ? [{ title: 'Trace of the line', keys: ['t'], run: () => navigate(paths.trace(selected.traceId, selected.spanId)) }] : [],
  ]);
  return (
    <>
      <div className={viewCss.anchor}>
        <VirtualList<TailRow>
          items={rows} keyOf={({ id }) => id} rowHeight={ROW} label="Log lines, the newest first" role="listbox" current={line === '' ? undefined : at} handle={list} onEnd={older} onAtStart={setEdge}
          render={(row) => ('missing' in row ? <Note>{row.missing}</Note> : <Row line={row} selected={String(row.id) === line} onPick={pick} />)}
        />
        {fresh > 0 && <div className={viewCss.pill}><Button look="primary" onClick={toLive}>{count(fresh)} new · jump to live <Kbd>G</Kbd></Button></div>}
      </div>
      {selected && 'level' in selected && <LogInspector line={selected} q={q} onQuery={onQuery} onClose={() => setLine(null)} />}
    </>
  );
}

const Row = memo(function Row({ line, selected, onPick }: { readonly line: LogRecord; readonly selected: boolean; readonly onPick: (id: number) => void }) {
  return (
    <div role="option" aria-selected={selected} className={css.line} onClick={() => onPick(line.id)}>
      <span className="muted truncate"><Time at={line.timestamp} /></span><Level level={line.level} />
      <span className={classes(css.wide, 'truncate')}>{line.stepName || <span className="muted">engine</span>}</span>
      <span className="truncate"><span className={line.level === 'error' ? css.error : undefined}>{line.message}</span> <span className="muted">{fieldWords(line.fields)}</span></span>
      <span className={classes(css.wide, 'muted')}>{/^0*$/.test(line.traceId) ? '' : line.traceId.slice(0, 8)}</span>
    </div>
  );
}, (before, after) => before.line === after.line && before.selected === after.selected);
